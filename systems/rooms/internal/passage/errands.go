package passage

import (
	"context"
	"sync"
	"time"
)

// Errands are what rooms have done elsewhere, because it may wait: [Errands.Run] does them in real time, each on a
// goroutine of its own, and [Errands.Flush] in virtual time, in their order.
type Errands struct {
	mu    sync.Mutex
	list  []func(ctx context.Context)
	later []func(ctx context.Context)
	wake  chan struct{}
}

// againTime is after how long something is tried again in real time.
const againTime = time.Second

// NewErrands makes a list of none.
func NewErrands() *Errands { return &Errands{wake: make(chan struct{}, 1)} }

// Do has f done.
func (e *Errands) Do(f func(ctx context.Context)) {
	e.mu.Lock()
	e.list = append(e.list, f)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Again has f done later: a second later in real time, with the next Flush in virtual time.
func (e *Errands) Again(f func(ctx context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.later = append(e.later, f)
}

// due makes what was to be done later due.
func (e *Errands) due() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list, e.later = append(e.list, e.later...), nil
}

func (e *Errands) take() []func(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = nil
	return list
}

// Run does what comes until ctx ends, and returns when nothing of it goes on.
func (e *Errands) Run(ctx context.Context) {
	var going sync.WaitGroup
	defer going.Wait()
	t := time.NewTicker(againTime)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-t.C:
			e.due()
		}
		for _, f := range e.take() {
			going.Go(func() { f(ctx) })
		}
	}
}

// Flush does what there is, and what comes of it.
func (e *Errands) Flush(ctx context.Context) {
	e.due()
	for list := e.take(); len(list) > 0; list = e.take() {
		for _, f := range list {
			f(ctx)
		}
	}
}
