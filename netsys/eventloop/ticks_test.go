//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"testing"
	"time"
)

// A listener without WebSocket does not wake its loop. One with WebSocket wakes it a few times per second to check
// connections.
func TestTicksOfTheLoop(t *testing.T) {
	for _, web := range []*connections{nil, {}} {
		h := &handler{listener: &Listener{web: web}, started: make(chan struct{})}
		for range 3 {
			delay, _ := h.OnTick()
			if web == nil && delay < 24*time.Hour || web != nil && (delay < 50*time.Millisecond || delay > time.Second) {
				t.Errorf("connections %v: the next tick comes after %v", web != nil, delay)
			}
		}
		select {
		case <-h.started:
		default:
			t.Error("nobody is told that the loop runs")
		}
	}
}

// Sweep ends the connections that take too long by that time.
func (l *Listener) Sweep(now time.Time) {
	l.web.sweepHalfOpen(now)
	l.web.sweepSilent(now)
}
