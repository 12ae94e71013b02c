package channel

import (
	"testing"
	"time"
)

// TestSlowReader has a peer that receives nothing for a while. Unreliable messages go stale, reliable ones fill their queue,
// memory does not grow, and everything continues when the peer receives again.
func TestSlowReader(t *testing.T) {
	p := newPair(t, Config{}, 8, path{delay: 20 * time.Millisecond, loss: 0.02})
	event, state := number(t, "event"), number(t, "state")
	var want, got uint64
	p.b.got = func(number int, b []byte) {
		if number == event {
			if id := idOf(t, b); id != got {
				t.Fatalf("event %d after %d", id, got)
			}
			got++
		}
	}
	full := 0
	tick := func() {
		p.step(func() {
			_ = p.a.e.Send(state, text(0, 900))
			for range 3 {
				switch err := p.a.e.Send(event, text(want, 40)); err {
				case nil:
					want++
				case ErrFull:
					full++
				default:
					t.Fatal(err)
				}
			}
		})
	}
	for range 120 {
		tick()
	}
	if full > 0 {
		t.Fatalf("%d events refused while the peer reads", full)
	}
	p.b.deaf = true
	for range 600 {
		tick()
		if s := p.a.e.Stats(); s.QueuedBytes > 256*40+2*(64<<10) {
			t.Fatalf("%d bytes wait", s.QueuedBytes)
		}
	}
	s := p.a.e.Stats()
	if full == 0 || s.Stalled < 9*time.Second || p.a.e.Channel(event).Queued != 256 {
		t.Errorf("%d refused, stalled %v, %d queued", full, s.Stalled, p.a.e.Channel(event).Queued)
	}
	if s.Rate != p.a.e.Config().MinRate {
		t.Errorf("rate %d into a void", s.Rate)
	}
	p.b.deaf = false
	for range 180 {
		tick()
	}
	if s := p.a.e.Stats(); s.Stalled > time.Second || got+256 < want {
		t.Errorf("after the pause: stalled %v, %d of %d events", s.Stalled, got, want)
	}
}

// TestOutage cuts both directions for 3 s during a transfer. The stream continues, and every message arrives exactly once.
func TestOutage(t *testing.T) {
	p := newPair(t, Config{}, 9, path{delay: 40 * time.Millisecond})
	bulk := number(t, "bulk")
	var sent, got uint64
	p.b.got = func(number int, b []byte) {
		if id := idOf(t, b); id != got {
			t.Fatalf("message %d after %d", id, got)
		}
		got++
	}
	back, rateBefore := 0, 0
	for tick := range 60 * 12 {
		loss := 0.0
		switch {
		case tick >= 300:
			loss = 0.04 // too much to raise the rate beyond what it was
		case tick >= 120:
			loss = 1
		}
		p.a.out.loss, p.b.out.loss = loss, loss
		before := got
		if tick == 120 {
			rateBefore = p.a.e.Stats().Rate
		}
		if tick == 300+60*5 && p.a.e.Stats().Rate < rateBefore/4 {
			t.Errorf("rate %d five seconds after the outage, %d before it", p.a.e.Stats().Rate, rateBefore)
		}
		p.step(func() {
			if p.a.e.Send(bulk, text(sent, 3000)) == nil {
				sent++
			}
		})
		if tick >= 300 && back == 0 && got > before {
			back = tick - 300
		}
	}
	for range 60 * 20 {
		p.step(nil)
	}
	if got != sent || got < 100 {
		t.Errorf("%d of %d messages", got, sent)
	}
	// With nothing else to acknowledge, the next try comes within 16 timeouts.
	if back == 0 || back > 120 {
		t.Errorf("the first message came %d ticks after the outage", back)
	}
}
