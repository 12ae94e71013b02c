package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// patience is for how long a helper that is done looks for more work before it sleeps, and the caller for helpers that
// are not. To wake a thread takes some 100 µs on virtual machines, and a server's tick has several pieces of work behind
// each other. At 60 ticks a second this costs a helper at most 1.5 % of a processor.
const patience = 250 * time.Microsecond

// Pool is some goroutines that wait for work. It belongs to one goroutine, the caller, which
// works too. A nil Pool has the caller alone.
type Pool struct {
	helpers []*helper
	gone    sync.WaitGroup
	n       int // workers, the caller among them
	job     job
}

// helper is a goroutine of the pool.
type helper struct {
	state atomic.Uint32
	wake  chan struct{}
}

// The states of a helper.
const (
	looking uint32 = iota // for work
	asleep                // until woken
	working
)

// job is the work at hand.
type job struct {
	do      func(worker, piece int)
	pieces  int
	share   int           // pieces that are taken at once
	next    atomic.Int64  // the first piece that nobody has taken
	numbers atomic.Int32  // of the helpers, as they come
	busy    atomic.Int32  // helpers that are not done, and sleeps
	done    chan struct{} // the last one is, and the caller sleeps
	failed  atomic.Pointer[failure]
}

// sleeps is added to busy by a caller who is about to sleep. Being one number with the helpers that are not done, it is for
// the last one alone to wake the caller: one who looked later would wake it in the next piece of work.
const sleeps = 1 << 16

// failure is a panic of a worker.
type failure struct{ value any }

// New makes a pool of n workers, of which the caller is one; below 2 there are no others. These
// begin with the first work there is for them, so a pool that was never used need not be closed.
func New(n int) *Pool {
	return &Pool{n: max(n, 1)}
}

// start begins the other goroutines.
func (p *Pool) start() {
	p.job.done = make(chan struct{}, 1)
	for range p.n - 1 {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		p.gone.Go(func() { h.help(&p.job) })
	}
}

// help works whenever there is work, until the pool is closed.
func (h *helper) help(j *job) {
	for {
		if !look(func() bool { return h.state.Load() == working }) && h.state.CompareAndSwap(looking, asleep) {
			if _, open := <-h.wake; !open {
				return
			}
		}
		j.work(int(j.numbers.Add(1)))
		h.state.Store(looking)
		if j.busy.Add(-1) == sleeps {
			j.done <- struct{}{}
		}
	}
}

// call gives a helper work.
func (h *helper) call() {
	if !h.state.CompareAndSwap(looking, working) {
		h.state.Store(working)
		h.wake <- struct{}{}
	}
}

// look waits for something, and returns false when patience is at its end. Others who could run do.
func look(is func() bool) bool {
	for until := time.Now().Add(patience); ; runtime.Gosched() {
		for range 32 {
			if is() {
				return true
			}
		}
		if time.Now().After(until) {
			return false
		}
	}
}

// Workers is how many there are, at least 1.
func (p *Pool) Workers() int {
	if p == nil {
		return 1
	}
	return p.n
}

// Each calls do for each piece from 0 to n-1, once, and returns when all is done. worker is
// from 0 to Workers−1, and no worker does two pieces at once. Where do is stored once, and
// no literal that captures variables, Each allocates nothing. A panic of a piece is the
// caller's, once the others are done. do must not call Each of the same pool.
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
	if look(func() bool { return j.busy.Load() == 0 }) {
		return
	}
	if j.busy.Add(sleeps) != sleeps {
		<-j.done
	}
}

// work does pieces until there are none left.
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

// Close ends the pool's goroutines. Doing so twice, and of a nil Pool, is harmless; Each after
// it runs in the caller.
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
