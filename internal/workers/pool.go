package workers

import (
	"sync"
	"sync/atomic"
)

// Pool is some goroutines that wait for work. It belongs to one goroutine, the caller, which
// works too. A nil Pool has the caller alone.
type Pool struct {
	wake chan struct{} // one for each helper that is to look for work
	busy sync.WaitGroup
	n    int // workers, the caller among them
	job  job
}

// job is the work at hand.
type job struct {
	do      func(worker, piece int)
	pieces  int
	share   int          // pieces that are taken at once
	next    atomic.Int64 // the first piece that nobody has taken
	numbers atomic.Int32 // of the helpers, as they come
	failed  atomic.Pointer[failure]
}

// failure is a panic of a worker.
type failure struct{ value any }

// New makes a pool of n workers, of which the caller is one; below 2 there are no others. These
// begin with the first work there is for them, so a pool that was never used need not be closed.
func New(n int) *Pool {
	return &Pool{n: max(n, 1)}
}

// start begins the other goroutines.
func (p *Pool) start() {
	p.wake = make(chan struct{}, p.n-1)
	for range p.n - 1 {
		go help(p.wake, &p.job, &p.busy)
	}
}

// help works whenever it is woken, until the pool is closed.
func help(wake <-chan struct{}, j *job, busy *sync.WaitGroup) {
	for range wake {
		j.work(int(j.numbers.Add(1)))
		busy.Done()
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
	if p.wake == nil {
		p.start()
	}
	j := &p.job
	j.do, j.pieces = do, n
	j.share = max(n/(8*p.n), 1)
	j.next.Store(0)
	j.numbers.Store(0)
	helpers := min(p.n, n) - 1
	p.busy.Add(helpers)
	for range helpers {
		p.wake <- struct{}{}
	}
	j.work(0)
	p.busy.Wait()
	j.do = nil
	if f := j.failed.Swap(nil); f != nil {
		panic(f.value)
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
	if p.wake != nil {
		close(p.wake)
	}
	p.wake, p.n = nil, 1
}
