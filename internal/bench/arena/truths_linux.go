package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/tactusgo/tactus/components"
)

// truths holds the newest states from the server's process.
type truths struct {
	steps uint32 // ticks between two send ticks

	mu   sync.Mutex
	ring [64]*told                   // by send tick
	came map[components.NetID]uint32 // tick of the first state with this entity
	err  error
}

// follow reads states until the file ends.
func (t *truths) follow(from *os.File) {
	in := bufio.NewReaderSize(from, 1<<18)
	var spare *told
	for {
		x, err := readTold(in, spare)
		if err != nil {
			t.mu.Lock()
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				t.err = err
			}
			t.mu.Unlock()
			return
		}
		spare = t.store(x)
	}
}

// store stores a state and returns a replaced one for reuse, or nil.
func (t *truths) store(x *told) (old *told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x.send = x.tick / t.steps
	if t.came == nil {
		t.came = make(map[components.NetID]uint32)
	}
	for id := range x.at {
		if _, known := t.came[id]; !known {
			t.came[id] = x.tick
		}
	}
	at := &t.ring[x.send%uint32(len(t.ring))]
	old, *at = *at, x
	return old
}

// sent returns the state of a send tick, or nil if it is not stored. The caller holds the mutex.
func (t *truths) sent(send uint32) *told {
	if x := t.ring[send%uint32(len(t.ring))]; x != nil && x.send == send {
		return x
	}
	return nil
}

// atTick returns the state after a tick, or nil. The caller holds the mutex.
func (t *truths) atTick(tick uint32) *told {
	if x := t.sent(tick / t.steps); x != nil && x.tick == tick {
		return x
	}
	return nil
}
