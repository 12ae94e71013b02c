package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long an idle helper polls for more work before it sleeps, and how long the caller polls for helpers
// that are still working. Waking a thread takes about 100 µs on virtual machines, and a server's tick has several
// pieces of work in sequence. At 60 ticks a second, polling costs a helper at most 1.5 % of a processor.
const patience = 250 * time.Microsecond

// Pool is a set of goroutines that wait for work. Only one goroutine may use it, the caller, which works too. A nil
// Pool uses only the caller.
type Pool struct {
	helpers []*helper
	gone    sync.WaitGroup
	n       int // number of workers, including the caller
	job     job
}

// helper is a goroutine of the pool.
type helper struct {
	state atomic.Uint32
	wake  chan struct{}
}

// States of a helper.
const (
	polling uint32 = iota // polling for work
	asleep                // until woken
	working
)

// job is the current work.
type job struct {
	do      func(worker, piece int)
	pieces  int
	share   int           // pieces that a worker takes at once
	next    atomic.Int64  // first piece that no worker has taken
	numbers atomic.Int32  // numbers assigned to helpers
	busy    atomic.Int32  // unfinished helpers, plus sleeps
	done    chan struct{} // receives a value when the last helper finishes while the caller sleeps
	failed  atomic.Pointer[failure]
}

// sleeps is added to busy by a caller that is about to sleep. Because busy holds both, only the last helper wakes the
// caller. With two variables, a late helper could wake the caller during the next work.
const sleeps = 1 << 16

// failure is a panic of a worker.
type failure struct{ value any }

// New returns a pool of n workers, including the caller. With n below 2 there are no other goroutines. The goroutines
// start with the first work, so an unused pool need not be closed.
func New(n int) *Pool {
	return &Pool{n: max(n, 1)}
}

// start starts the other goroutines.
func (p *Pool) start() {
	p.job.done = make(chan struct{}, 1)
	for range p.n - 1 {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		p.gone.Go(func() { h.help(&p.job) })
	}
}

// help runs work until the pool is closed.
func (h *helper) help(j *job) {
	for {
		if !poll(func() bool { return h.state.Load() == working }) && h.state.CompareAndSwap(polling, asleep) {
			if _, open := <-h.wake; !open {
				return
			}
		}
		j.work(int(j.numbers.Add(1)))
		h.state.Store(polling)
		if j.busy.Add(-1) == sleeps {
			j.done <- struct{}{}
		}
	}
}

// call gives work to a helper.
func (h *helper) call() {
	if !h.state.CompareAndSwap(polling, working) {
		h.state.Store(working)
		h.wake <- struct{}{}
	}
}

// poll calls done until it returns true, or returns false after the time patience. It yields to other goroutines.
func poll(done func() bool) bool {
	for until := time.Now().Add(patience); ; runtime.Gosched() {
		for range 32 {
			if done() {
				return true
			}
		}
		if time.Now().After(until) {
			return false
		}
	}
}

// Workers returns the number of workers, at least 1.
func (p *Pool) Workers() int {
	if p == nil {
		return 1
	}
	return p.n
}

// Each calls do once for each piece from 0 to n-1 and returns when all are done. worker is from 0 to Workers−1, and a
// worker runs one piece at a time. Each allocates nothing if do is a stored function and not a literal that captures
// variables. A panic in a piece is raised in the caller after the others have finished. do must not call Each of the
// same pool.
func (p *Pool) Each(n int, do func(worker, piece int)) {
	if p == nil || p.n < 2 || n < 2 {
		for i := range n {
			do(0, i)
		}
		return
	}
	if p.helpers == nil {
		p.start()
	}
	j := &p.job
	j.do, j.pieces = do, n
	j.share = max(n/(8*p.n), 1)
	j.next.Store(0)
	j.numbers.Store(0)
	helpers := p.helpers[:min(p.n, n)-1]
	j.busy.Store(int32(len(helpers)))
	for _, h := range helpers {
		h.call()
	}
	j.work(0)
	j.wait()
	j.do = nil
	if f := j.failed.Swap(nil); f != nil {
		panic(f.value)
	}
}

// wait waits until all helpers are done.
func (j *job) wait() {
	if poll(func() bool { return j.busy.Load() == 0 }) {
		return
	}
	if j.busy.Add(sleeps) != sleeps {
		<-j.done
	}
}

// work runs pieces until none are left.
func (j *job) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			j.failed.Store(&failure{v})
			j.next.Store(int64(j.pieces))
		}
	}()
	for {
		from := int(j.next.Add(int64(j.share))) - j.share
		for i := from; i < min(from+j.share, j.pieces); i++ {
			j.do(worker, i)
		}
		if from >= j.pieces {
			return
		}
	}
}

// Close stops the goroutines of the pool. Repeated calls and a nil Pool are allowed. Each runs on the caller after
// it.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	for _, h := range p.helpers {
		close(h.wake)
	}
	p.gone.Wait()
	p.helpers, p.n = nil, 1
}
