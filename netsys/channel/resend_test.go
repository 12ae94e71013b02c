package channel

import (
	"bytes"
	"testing"
	"time"
)

// TestLateAcknowledgement acknowledges a packet after what it held was sent again: that counts, and the copy is
// a duplicate.
func TestLateAcknowledgement(t *testing.T) {
	c := Config{}
	e, r := mustNew(t, c), mustNew(t, c)
	event := number(t, "event")
	now := time.Unix(0, 0)
	if err := e.Send(event, []byte("once")); err != nil {
		t.Fatal(err)
	}
	got := 0
	deliver := func(int, []byte) { got++ }
	first := e.Fill(now, 7, nil, 1000)
	now = now.Add(2 * time.Second)
	second := e.Fill(now, 9, nil, 1000)
	if len(first) == 0 || !bytes.Equal(first, second) {
		t.Fatalf("sent %x, then %x", first, second)
	}
	for _, b := range [][]byte{second, first} {
		if err := r.Receive(now, b, deliver); err != nil {
			t.Fatal(err)
		}
	}
	if got != 1 || r.Channel(event).Duplicates != 1 {
		t.Errorf("delivered %d, duplicates %d", got, r.Channel(event).Duplicates)
	}
	e.Acked(now, 7)
	e.Acked(now, 7)
	s := e.Stats()
	if e.Channel(event).Queued != 0 || s.Spurious != 1 || s.Lost != 0 {
		t.Errorf("%d queued, %d spurious, %d lost", e.Channel(event).Queued, s.Spurious, s.Lost)
	}
	now = now.Add(time.Minute)
	if b := e.Fill(now, 10, nil, 1000); len(b) != 0 {
		t.Errorf("sends %x again", b)
	}
}

// TestResendFollowsRTT wants what is lost sent again after the measured round trip, on fast and on slow paths.
func TestResendFollowsRTT(t *testing.T) {
	for _, rtt := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond, 1500 * time.Millisecond} {
		e := mustNew(t, Config{})
		state, event := number(t, "state"), number(t, "event")
		now := time.Unix(0, 0)
		var seq uint16
		tick := func() int {
			_ = e.Send(state, []byte{1})
			n := len(e.Fill(now, seq, nil, 1000))
			seq++
			now = now.Add(5 * time.Millisecond)
			return n
		}
		delay := uint16(rtt / (5 * time.Millisecond))
		for range 4000 {
			tick()
			if seq >= delay {
				e.Acked(now, seq-delay)
			}
		}
		if got := e.Stats().RTT; got < rtt*9/10 || got > rtt*11/10 {
			t.Errorf("RTT %v measured as %v", rtt, got)
		}
		_ = e.Send(event, make([]byte, 100))
		sentAt, hole := now, seq
		tick()
		for {
			if seq-delay != hole {
				e.Acked(now, seq-delay)
			}
			if tick() > 100 {
				break
			}
			if now.Sub(sentAt) > 10*rtt {
				t.Fatalf("RTT %v: not sent again", rtt)
			}
		}
		if took := now.Sub(sentAt); took < rtt || took > rtt*3/2+20*time.Millisecond {
			t.Errorf("RTT %v: sent again after %v", rtt, took)
		}
	}
}
