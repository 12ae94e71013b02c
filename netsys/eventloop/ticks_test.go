//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"testing"
	"time"
)

// The UDP loop does not wake up for ticks. The WebSocket loop does a few times per second to check connections.
func TestTicksOfTheLoops(t *testing.T) {
	h := &handler{started: make(chan struct{})}
	if delay, _ := h.OnTick(); delay < 24*time.Hour {
		t.Errorf("the next tick of the UDP loop comes after %v", delay)
	}
	<-h.started
	w := &webLoop{web: &connections{}}
	for range 3 {
		if delay, _ := w.OnTick(); delay < 50*time.Millisecond || delay > time.Second {
			t.Errorf("the next tick of the WebSocket loop comes after %v", delay)
		}
	}
}

// Age makes the unfinished handshakes older.
func (l *Listener) Age(by time.Duration) {
	l.web.mu.Lock()
	defer l.web.mu.Unlock()
	for _, c := range l.web.halfOpen {
		c.opened = c.opened.Add(-by)
	}
}

// Sweep ends the connections that take too long by that time.
func (l *Listener) Sweep(now time.Time) {
	l.web.sweepHalfOpen(now)
	l.web.sweepSilent(now)
}
