package operator

import (
	"encoding/json"
	"io"
	"sync"
)

// mostQueued is how many entries wait to be written.
const mostQueued = 4096

// line is an entry as it is written.
type line struct {
	Log string `json:"log"` // always audit, so that lines are found among others
	Entry
	Lost uint64 `json:"lost,omitempty"` // so many notices before this one were not written
}

// writer writes entries in their order, on a goroutine that there is as long as there is something to write.
type writer struct {
	out io.Writer

	mu    sync.Mutex
	moved sync.Cond
	queue []line
	busy  bool // somebody writes
	lost  uint64
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: out}
	w.moved.L = &w.mu
	return w
}

// offer writes an entry soon, unless too many wait.
func (w *writer) offer(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) >= mostQueued {
		w.lost++
		return
	}
	w.push(e)
}

// put writes an entry soon, and waits while too many do.
func (w *writer) put(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) >= mostQueued {
		w.moved.Wait()
	}
	w.push(e)
}

// push queues an entry. With the lock.
func (w *writer) push(e Entry) {
	w.queue = append(w.queue, line{Log: "audit", Entry: e, Lost: w.lost})
	w.lost = 0
	if !w.busy {
		w.busy = true
		go w.write()
	}
}

// write writes until nothing waits.
func (w *writer) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 {
		some := w.queue
		w.queue = nil
		w.moved.Broadcast()
		w.mu.Unlock()
		for i := range some {
			b, err := json.Marshal(&some[i])
			if err == nil {
				_, _ = w.out.Write(append(b, '\n')) // there is nowhere to complain
			}
		}
		w.mu.Lock()
	}
	w.busy = false
	w.moved.Broadcast()
}

// flush waits until nothing waits.
func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy {
		w.moved.Wait()
	}
}
