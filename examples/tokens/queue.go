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
	// maxWaiting bounds the logins that wait for that, of familiar players and of others.
	maxWaiting = 32
	// maxWait bounds how long one waits. Who is told to come again sooner keeps the queue from growing old.
	maxWait = 2 * time.Second
)

// queue is where logins wait for their password to be hashed: familiar players before others, each in turn.
type queue struct {
	mu    sync.Mutex
	free  int                // how many more may be hashed
	lines [2][]chan struct{} // those that wait, familiar players' first; closed when it is their turn
}

func newQueue() *queue { return &queue{free: maxHashing} }

// enter waits for a turn, which ends with leave. It reports false when there is none soon.
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
		return true // its turn came meanwhile
	}
	*line = slices.Delete(*line, i, i+1)
	return false
}

// leave gives the turn to whoever is next.
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
