package rooms

import (
	"context"
	"sync"
	"time"
)

// backgroundTasks runs work that may block on other goroutines than the rooms'. In real time [backgroundTasks.run] runs
// each task on its own goroutine. In virtual time [backgroundTasks.flush] runs the tasks in order.
type backgroundTasks struct {
	mu    sync.Mutex
	list  []func(ctx context.Context)
	later []func(ctx context.Context)
	wake  chan struct{}
}

// retryInterval is the pause before a task is retried in real time.
const retryInterval = time.Second

// newBackgroundTasks returns an empty list.
func newBackgroundTasks() *backgroundTasks { return &backgroundTasks{wake: make(chan struct{}, 1)} }

// add queues f.
func (e *backgroundTasks) add(f func(ctx context.Context)) {
	e.mu.Lock()
	e.list = append(e.list, f)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// retry queues f for a later call: within retryInterval in real time, by the next flush in virtual time.
func (e *backgroundTasks) retry(f func(ctx context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.later = append(e.later, f)
}

// requeue makes the waiting retries due.
func (e *backgroundTasks) requeue() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list, e.later = append(e.list, e.later...), nil
}

// drain removes and returns the due tasks.
func (e *backgroundTasks) drain() []func(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = nil
	return list
}

// run runs tasks until ctx ends, and returns when all have returned.
func (e *backgroundTasks) run(ctx context.Context) {
	var going sync.WaitGroup
	defer going.Wait()
	t := time.NewTicker(retryInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-t.C:
			e.requeue()
		}
		for _, f := range e.drain() {
			going.Go(func() { f(ctx) })
		}
	}
}

// flush runs all tasks, including tasks that they add.
func (e *backgroundTasks) flush(ctx context.Context) {
	e.requeue()
	for list := e.drain(); len(list) > 0; list = e.drain() {
		for _, f := range list {
			f(ctx)
		}
	}
}
