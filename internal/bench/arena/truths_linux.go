package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/tactusgo/tactus/components"
)

// truths are those of the newest sends, as the server's process tells them.
type truths struct {
	steps uint32 // between two sends

	mu   sync.Mutex
	ring [64]*told                   // by send
	came map[components.NetID]uint32 // the tick of the first truth in which an entity was
	err  error
}

// follow reads until there is no more to read.
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
		spare = t.take(x)
	}
}

// take takes in the truth of a send, and returns one that is not needed any more, or nil.
func (t *truths) take(x *told) (old *told) {
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

// sent is the truth of a send, nil where it is not known, or not yet. The mutex is held.
func (t *truths) sent(send uint32) *told {
	if x := t.ring[send%uint32(len(t.ring))]; x != nil && x.send == send {
		return x
	}
	return nil
}

// at is the truth after a tick, likewise.
func (t *truths) at(tick uint32) *told {
	if x := t.sent(tick / t.steps); x != nil && x.tick == tick {
		return x
	}
	return nil
}
