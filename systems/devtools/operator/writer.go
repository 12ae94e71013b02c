package operator

import (
	"encoding/json"
	"io"
	"sync"
)

// mostQueued is the largest number of entries that wait to be written.
const mostQueued = 4096

// line is an entry in its written form.
type line struct {
	Log string `json:"log"` // always audit, to distinguish these lines from others
	Entry
	Lost uint64 `json:"lost,omitempty"` // number of notices dropped before this line
}

// writer writes entries in order, on a goroutine that exists only while entries wait.
type writer struct {
	out io.Writer

	mu    sync.Mutex
	moved sync.Cond
	queue []line
	busy  bool // the goroutine is running
	lost  uint64
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: out}
	w.moved.L = &w.mu
	return w
}

// queueOrDrop queues an entry. It drops the entry if the queue is full.
func (w *writer) queueOrDrop(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) >= mostQueued {
		w.lost++
		return
	}
	w.push(e)
}

// waitAndQueue queues an entry. It waits while the queue is full.
func (w *writer) waitAndQueue(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) >= mostQueued {
		w.moved.Wait()
	}
	w.push(e)
}

// push queues an entry. The caller holds the lock.
func (w *writer) push(e Entry) {
	w.queue = append(w.queue, line{Log: "audit", Entry: e, Lost: w.lost})
	w.lost = 0
	if !w.busy {
		w.busy = true
		go w.write()
	}
}

// write writes until the queue is empty.
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
				_, _ = w.out.Write(append(b, '\n')) // an error cannot be reported anywhere
			}
		}
		w.mu.Lock()
	}
	w.busy = false
	w.moved.Broadcast()
}

// flush waits until the queue is empty.
func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy {
		w.moved.Wait()
	}
}
