package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxHashing bounds the passwords that are hashed at once: hashing is slow on purpose.
	maxHashing = 2
	// maxWaiting limits the waiting logins of familiar players, and those of other players.
	maxWaiting = 32
	// maxWait is the longest wait of a login. A caller whose wait ends gets the advice to try again.
	maxWait = 2 * time.Second
)

// queue is where logins wait for their password to be hashed: familiar players before others, each in turn.
type queue struct {
	mu    sync.Mutex
	free  int                // number of free hashing slots
	lines [2][]chan struct{} // waiting logins, familiar players first; a channel is closed when its turn comes
}

func newQueue() *queue { return &queue{free: maxHashing} }

// enter waits for a hashing slot; call leave afterwards. It returns false if there is none in time.
func (q *queue) enter(ctx context.Context, known bool) bool {
	line := &q.lines[1]
	if known {
		line = &q.lines[0]
	}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return true
	}
	if len(*line) >= maxWaiting {
		q.mu.Unlock()
		return false
	}
	turn := make(chan struct{})
	*line = append(*line, turn)
	q.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	select {
	case <-turn:
		return true
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(*line, turn)
	if i < 0 {
		return true // the slot became free in the meantime
	}
	*line = slices.Delete(*line, i, i+1)
	return false
}

// leave passes the slot to the next waiting login.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.lines {
		if len(q.lines[i]) > 0 {
			close(q.lines[i][0])
			q.lines[i] = slices.Delete(q.lines[i], 0, 1)
			return
		}
	}
	q.free++
}
