package told

import (
	"context"
	"strings"
	"sync"
)

// Change is what happened to a key.
type Change[R any] struct {
	Key   string
	Value R
}

// Hub knows who watches. The zero value is ready. Its methods may be called from any goroutine; who wants what is there
// first and changes afterwards to have no gap between them holds a lock of its own around both.
type Hub[R any] struct {
	mu  sync.Mutex
	all map[*watcher[R]]struct{}
}

// watcher is somebody who watches. What was not taken yet is kept, the newest of each key.
type watcher[R any] struct {
	prefix string
	wake   chan struct{}
	order  []string
	newest map[string]R
}

// Tell tells a change to all who watch a prefix of its key.
func (h *Hub[R]) Tell(key string, value R) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.all {
		if strings.HasPrefix(key, w.prefix) {
			w.add(key, value)
		}
	}
}

// Watch tells first, and then all changes of keys with a prefix, until ctx ends: then the channel is closed.
func (h *Hub[R]) Watch(ctx context.Context, prefix string, first []Change[R]) <-chan R {
	w := &watcher[R]{prefix: prefix, wake: make(chan struct{}, 1), newest: make(map[string]R)}
	for _, c := range first {
		w.add(c.Key, c.Value)
	}
	h.mu.Lock()
	if h.all == nil {
		h.all = make(map[*watcher[R]]struct{})
	}
	h.all[w] = struct{}{}
	h.mu.Unlock()
	out := make(chan R)
	go h.pass(ctx, w, out)
	return out
}

// add keeps a change. With the lock.
func (w *watcher[R]) add(key string, value R) {
	if _, waits := w.newest[key]; !waits {
		w.order = append(w.order, key)
	}
	w.newest[key] = value
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take is the oldest change that was not passed on.
func (h *Hub[R]) take(w *watcher[R]) (value R, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(w.order) == 0 {
		return value, false
	}
	value = w.newest[w.order[0]]
	delete(w.newest, w.order[0])
	w.order = w.order[1:]
	return value, true
}

// pass passes changes on until ctx ends.
func (h *Hub[R]) pass(ctx context.Context, w *watcher[R], out chan<- R) {
	defer close(out)
	defer func() {
		h.mu.Lock()
		delete(h.all, w)
		h.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		for {
			value, ok := h.take(w)
			if !ok {
				break
			}
			select {
			case <-ctx.Done():
				return
			case out <- value:
			}
		}
	}
}
