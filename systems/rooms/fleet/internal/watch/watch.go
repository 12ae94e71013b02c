package watch

import (
	"context"
	"strings"
	"sync"
)

// Hub sends changes to all watchers. A slow watcher misses changes of a key that a newer change has replaced, and delays
// no other watcher. The zero value is ready. Its methods may be called from any goroutine. A caller that
// must leave no gap between the first records and later changes holds its own lock around Watch and Publish.
type Hub[R any] struct {
	mu  sync.Mutex
	all map[*watcher[R]]struct{}
}

// watcher has the changes that one watcher has not received, the newest of each key.
type watcher[R any] struct {
	prefix string
	wake   chan struct{}
	order  []string
	newest map[string]R
}

// Publish sends a change of a key to all who watch a prefix of it.
func (h *Hub[R]) Publish(key string, r R) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.all {
		if strings.HasPrefix(key, w.prefix) {
			w.add(key, r)
		}
	}
}

// Watch sends the first records, and then all changes of keys with a prefix, until ctx ends. Then it closes the channel.
func (h *Hub[R]) Watch(ctx context.Context, prefix string, keys []string, first []R) <-chan R {
	w := &watcher[R]{prefix: prefix, wake: make(chan struct{}, 1), newest: make(map[string]R)}
	for i, r := range first {
		w.add(keys[i], r)
	}
	h.mu.Lock()
	if h.all == nil {
		h.all = make(map[*watcher[R]]struct{})
	}
	h.all[w] = struct{}{}
	h.mu.Unlock()
	out := make(chan R)
	go h.forward(ctx, w, out)
	return out
}

// add keeps a change. The caller holds the lock.
func (w *watcher[R]) add(key string, r R) {
	if _, waits := w.newest[key]; !waits {
		w.order = append(w.order, key)
	}
	w.newest[key] = r
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// next removes and returns the oldest change that was not forwarded.
func (h *Hub[R]) next(w *watcher[R]) (r R, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(w.order) == 0 {
		return r, false
	}
	r = w.newest[w.order[0]]
	delete(w.newest, w.order[0])
	w.order = w.order[1:]
	return r, true
}

// forward sends changes to a watcher until ctx ends.
func (h *Hub[R]) forward(ctx context.Context, w *watcher[R], out chan<- R) {
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
			r, ok := h.next(w)
			if !ok {
				break
			}
			select {
			case <-ctx.Done():
				return
			case out <- r:
			}
		}
	}
}
