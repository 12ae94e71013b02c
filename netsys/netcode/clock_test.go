package netcode

import (
	"fmt"
	"testing"
	"time"
)

// The clock of one end or of both is set. The session and its keep-alives continue, silence still ends it, and new clients can
// connect.
func TestClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, -time.Minute, -time.Second / 2, time.Minute} {
		for ends, name := range []string{1: "server", 2: "client", 3: "both"} {
			if name == "" {
				continue
			}
			t.Run(fmt.Sprintf("%v at %s", by, name), func(t *testing.T) {
				w, s, c := connected(t, ServerConfig{PacketsPerSecond: 100, RequestsPerSecond: 20})
				for range 200 { // allowances are half used
					w.exchange(s, s.last, c)
				}
				if ends&1 != 0 {
					s.off = by
				}
				if ends&2 != 0 {
					c.off = by
				}
				for range 200 {
					w.exchange(s, s.last, c)
				}
				up, down := 0, 0
				w.tap = func(d datagram) bool {
					if d.from == c.addr {
						up++
					} else if d.to == c.addr {
						down++
					}
					return true
				}
				w.run(15 * time.Second)
				if up < 140 || up > 160 || down < 140 || down > 160 {
					t.Errorf("%d and %d keep-alives in 15 s", up, down)
				}
				if drops := s.Drops(); drops.Total() != 0 || s.Len() != 1 || c.State() != Connected {
					t.Fatalf("dropped %v, %d clients, %v: %v, %v", drops, s.Len(), c, s.reason, c.reason)
				}
				config := w.config(8)
				config.Lifetime = 3 * time.Minute // more than the clocks differ one way, and little the other
				next := w.join("198.51.100.8:5000", w.issue(config))
				next.off = c.off
				w.until("connected", func() bool { return next.State() == Connected })

				begin := w.now
				w.tap = func(datagram) bool { return false }
				w.until("silence ends it", func() bool { return s.Len() == 0 && c.State() == Ended })
				if d := w.now.Sub(begin); s.reason != ErrTimeout || c.reason != ErrTimeout || d < 9500*time.Millisecond || d > 10500*time.Millisecond {
					t.Errorf("after %v: %v, %v", d, s.reason, c.reason)
				}
			})
		}
	}
}

// A handshake continues after the clocks were set, and an abandoned one still times out.
func TestClockIsSetInAHandshake(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	c := w.join(alice, w.issue(w.config(7)))
	w.until("challenged", func() bool { return c.State() == Responding })
	w.expect("198.51.100.9:1", request(w.issue(w.config(9))), DropNone) // and nothing more of it
	s.off, c.off = -time.Minute, -time.Minute
	w.until("connected", func() bool { return c.State() == Connected })
	w.run(halfOpenTime + time.Second)
	if n := s.half.len(); n != 0 || s.Drops()[DropHalfOpen] != 1 {
		t.Errorf("%d half open, drops %v", n, s.Drops())
	}
}
