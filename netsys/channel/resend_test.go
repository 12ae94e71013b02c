package channel

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// TestLateAcknowledgement acknowledges a packet after its messages were resent. The acknowledgement counts, and the receiver
// drops the copy as a duplicate.
func TestLateAcknowledgement(t *testing.T) {
	c := Config{}
	e, r := mustNew(t, c), mustNew(t, c)
	event := number(t, "event")
	now := time.Unix(0, 0)
	must(t, e.Send(event, []byte("once")))
	got := 0
	deliver := func(int, []byte) { got++ }
	first := e.Fill(now, 7, nil, 1000)
	now = now.Add(2 * time.Second)
	second := e.Fill(now, 9, nil, 1000)
	if len(first) == 0 || !bytes.Equal(first, second) {
		t.Fatalf("sent %x, then %x", first, second)
	}
	for _, b := range [][]byte{second, first} {
		must(t, r.Receive(now, b, deliver))
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

// TestLateThenLost loses the copy of a message whose first packet is acknowledged late. The message is not sent a third time.
func TestLateThenLost(t *testing.T) {
	e := mustNew(t, Config{})
	event := number(t, "event")
	now := time.Unix(0, 0)
	_ = e.Send(event, []byte("first"))
	_ = e.Fill(now, 0, nil, 1000)
	_ = e.Send(event, []byte("second"))
	_ = e.Fill(now, 1, nil, 1000)
	now = now.Add(time.Minute)
	if b := e.Fill(now, 2, nil, 1000); !bytes.Contains(b, []byte("first")) || !bytes.Contains(b, []byte("second")) {
		t.Fatalf("sent again: %q", b)
	}
	e.Acked(now, 1)
	now = now.Add(time.Hour)
	if b := e.Fill(now, 3, nil, 1000); !bytes.Contains(b, []byte("first")) || bytes.Contains(b, []byte("second")) {
		t.Errorf("sent a third time: %q", b)
	}
}

// TestForgottenPackets reuses packet numbers. The acknowledgement of a packet without data of channels has no effect, whatever
// the packet with that number held 65,536 packets ago.
func TestForgottenPackets(t *testing.T) {
	e := mustNew(t, Config{})
	event := number(t, "event")
	now := time.Unix(0, 0)
	_ = e.Send(event, []byte("x"))
	for _, seq := range []uint16{5, 6, 40000, 4, 6} {
		room := 1000
		if seq != 5 {
			room = 0
		}
		_ = e.Fill(now, seq, nil, room)
		now = now.Add(time.Minute)
	}
	e.Acked(now, 5)
	if s := e.Stats(); s.Acked != 0 || e.Channel(event).Queued != 1 {
		t.Errorf("%d acknowledged, %d queued", s.Acked, e.Channel(event).Queued)
	}
	// Nor does one of a packet of which it is forgotten what it held.
	e = mustNew(t, Config{})
	_ = e.Send(event, []byte("x"))
	_ = e.Fill(now, 0, nil, 1000)
	e.flight.low = e.flight.tail
	e.Acked(now, 0)
	if s := e.Stats(); s.Acked != 1 || e.Channel(event).Queued != 1 {
		t.Errorf("%d acknowledged, %d queued", s.Acked, e.Channel(event).Queued)
	}
	// The contents of a packet are stored for as long as there is memory for them.
	f := newFlight(32, 1)
	*f.sent.Open(0) = packet{count: 1, fate: flying}
	p := *f.find(0)
	for i := range f.most + 1 {
		if !f.live(&p) {
			t.Fatalf("forgotten after %d", i)
		}
		f.add(f.tail, ref{})
	}
	if f.live(&p) {
		t.Error("remembers what was overwritten")
	}
}

// TestManyRefs puts many scattered messages into each packet, with little memory to remember them. The memory runs out long
// before acknowledgements arrive, and everything is delivered nevertheless.
func TestManyRefs(t *testing.T) {
	c := modelConfig()
	p := newPair(t, c, 12, path{delay: 500 * time.Millisecond, jitter: 200 * time.Millisecond, loss: 0.3})
	p.a.e.flight.most = len(c.Channels)*maxRefs + 2
	w := newWitness(t, "to b")
	p.b.got = w.got
	r := rand.New(rand.NewPCG(12, 12))
	for range 600 {
		p.step(func() { w.offer(p.a.e, r) })
	}
	for ticks := 0; p.a.e.Stats().QueuedBytes > 0; ticks++ {
		if ticks > 60*300 {
			t.Fatalf("%d bytes still wait: %+v", p.a.e.Stats().QueuedBytes, p.a.e.Stats())
		}
		p.step(nil)
	}
	for number := 2; number < 5; number++ {
		if w.count[number] != int(w.sent[number]) {
			t.Errorf("channel %d delivered %d of %d", number, w.count[number], w.sent[number])
		}
	}
}

// TestCopies receives every packet twice, which a session prevents. Messages with numbers are delivered once.
func TestCopies(t *testing.T) {
	e, r := mustNew(t, Config{}), mustNew(t, Config{})
	now := time.Unix(0, 0)
	want := []uint64{1, 1, 2, 1, 1} // unreliable messages have no number
	for number := range want {
		_ = e.Send(number, []byte{1})
		b := e.Fill(now, uint16(number), nil, 1000)
		for range 2 {
			must(t, r.Receive(now, b, func(int, []byte) {}))
		}
		if got := r.Channel(number).Delivered; got != want[number] {
			t.Errorf("channel %d delivers %d", number, got)
		}
	}
}

// TestResendFollowsRTT checks that lost messages are resent after the measured round trip, on fast and on slow paths.
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
