package netcode

import (
	"testing"
	"time"
)

// pour makes a client send at a rate for a time, or until its session ends.
func (w *world) pour(c *clientNode, perSecond int, d time.Duration) (poured time.Duration) {
	for ; poured < d && c.State() == Connected && w.servers[0].Len() > 0; poured += stepTime {
		for range perSecond * int(stepTime) / int(time.Second) {
			_ = c.Send(w.now, []byte("flood"))
		}
		w.step()
	}
	return poured
}

// A session that keeps exceeding its rate ends, and its client learns it.
func TestSessionOverItsRateEnds(t *testing.T) {
	for _, perSecond := range []int{1500, 20_000} {
		w, s, c := connected(t, ServerConfig{})
		// A burst of a second at the full rate comes before.
		burst := time.Second * 1000 / time.Duration(perSecond-1000)
		if d := w.pour(c, perSecond, time.Minute); d < burst+floodTime-3*stepTime || d > burst+floodTime+5*stepTime {
			t.Errorf("%d packets a second for %v", perSecond, d)
		}
		if s.Len() != 0 || s.disconnected != 1 || s.reason != ErrFlood {
			t.Errorf("%d clients, %d ended: %v", s.Len(), s.disconnected, s.reason)
		}
		w.step()
		if c.State() != Ended || c.reason != ErrDisconnected {
			t.Errorf("%v: %v", c, c.reason)
		}
	}
}

// A burst of any size ends no session if the client then sends less, and a client that keeps to the rate never exceeds it.
func TestBurstsEndNoSession(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	w.pour(c, 950, 10*time.Second)
	if s.Drops()[DropFlood] != 0 {
		t.Errorf("%d packets dropped", s.Drops()[DropFlood])
	}
	for range 10 {
		w.pour(c, 50_000, 100*time.Millisecond)
		w.pour(c, 50, 2*time.Second)
	}
	if s.Drops()[DropFlood] < 10_000 || s.Len() != 1 {
		t.Fatalf("%d packets dropped, %d clients: %v", s.Drops()[DropFlood], s.Len(), s.reason)
	}
	w.exchange(s, s.last, c)
}

// Forged packets with a client's address do not count for the client's rate.
func TestForgersEndNoSession(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	garbage := make([]byte, 100)
	garbage[0] = 0x85
	for range 300 {
		for range 200 {
			for i := range 8 {
				garbage[1+i] = byte((c.sequence + 100) >> (8 * i))
			}
			s.Receive(w.now, c.addr, garbage, s)
		}
		w.exchange(s, s.last, c)
	}
	if s.Len() != 1 || s.Drops()[DropForged] != 60_000 {
		t.Errorf("%d clients, drops %v", s.Len(), s.Drops())
	}
}
