package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"
)

// truths are those of the newest sends, as the server's process tells them.
type truths struct {
	mu   sync.Mutex
	ring [64]*told
	next int
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
		t.mu.Lock()
		spare, t.ring[t.next] = t.ring[t.next], x
		t.next = (t.next + 1) % len(t.ring)
		t.mu.Unlock()
	}
}

// at is the truth after a tick, nil where it is not known, or not yet. The mutex is held.
func (t *truths) at(tick uint32) *told {
	for i := range t.ring {
		// The newest first.
		if x := t.ring[(t.next+len(t.ring)-1-i)%len(t.ring)]; x != nil && x.tick == tick {
			return x
		}
	}
	return nil
}
