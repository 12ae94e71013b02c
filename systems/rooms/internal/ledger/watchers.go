package ledger

import (
	"context"
	"strings"
	"sync"
)

// Watchers sends changes of records to everybody who watches. A slow watcher misses changes of a key that a newer one has
// replaced, and delays nobody. The zero value is ready. Its methods may be called from any goroutine. A caller that
// must leave no gap between the first records and later changes holds its own lock around Watch and Publish.
type Watchers struct {
	mu  sync.Mutex
	all map[*watcher]struct{}
}

// watcher has the changes that one watcher has not received, the newest of each key.
type watcher struct {
	prefix string
	wake   chan struct{}
	order  []string
	newest map[string]Record
}

// Publish sends a changed record to everybody who watches a prefix of its key.
func (h *Watchers) Publish(r Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.all {
		if strings.HasPrefix(r.Key, w.prefix) {
			w.add(r)
		}
	}
}

// Watch sends the first records, and then all changes of keys with a prefix, until ctx ends. Then it closes the channel.
func (h *Watchers) Watch(ctx context.Context, prefix string, first []Record) <-chan Record {
	w := &watcher{prefix: prefix, wake: make(chan struct{}, 1), newest: make(map[string]Record)}
	for _, r := range first {
		w.add(r)
	}
	h.mu.Lock()
	if h.all == nil {
		h.all = make(map[*watcher]struct{})
	}
	h.all[w] = struct{}{}
	h.mu.Unlock()
	out := make(chan Record)
	go h.forward(ctx, w, out)
	return out
}

// add keeps a change. The caller holds the lock.
func (w *watcher) add(r Record) {
	if _, waits := w.newest[r.Key]; !waits {
		w.order = append(w.order, r.Key)
	}
	w.newest[r.Key] = r
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// next removes and returns the oldest change that was not forwarded.
func (h *Watchers) next(w *watcher) (r Record, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(w.order) == 0 {
		return Record{}, false
	}
	r = w.newest[w.order[0]]
	delete(w.newest, w.order[0])
	w.order = w.order[1:]
	return r, true
}

// forward sends changes to a watcher until ctx ends.
func (h *Watchers) forward(ctx context.Context, w *watcher, out chan<- Record) {
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
