package netsys

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestSendHistory(t *testing.T) {
	h := &sendHistory{}
	if h.ack(0) != nil || h.ack(1<<16-1) != nil {
		t.Error("acknowledged before anything was sent")
	}
	for i := range 200_000 {
		seq := h.add(time.Duration(i), true)
		if int(seq) != i%(1<<16) {
			t.Fatalf("number %d at %d", seq, i)
		}
		if i >= sentWindow && h.ack(seq-sentWindow) != nil {
			t.Fatal("acknowledged outside the window")
		}
		if h.ack(seq+1) != nil {
			t.Fatal("acknowledged before it was sent")
		}
		if old := seq - uint16(i%100); i >= 100 {
			if first, again := h.ack(old), h.ack(old); first != nil && first.seq != old || again != nil {
				t.Fatalf("%d: %v, then %v", old, first, again)
			}
		}
	}
}

// A packet from a peer that has heard nothing acknowledges nothing, whatever its other fields say.
func TestNothingHeardAcknowledgesNothing(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	s := m.client.session
	m.send(s, "x")
	packet := make([]byte, headerSize)
	header{kind: kindDatagram, seq: m.atServer.last.(*session).out.next, ack: s.out.next - 1, bits: 1<<32 - 1, delay: nothingHeard}.put(packet)
	before := m.atClient.acked
	s.carrier.handler, s.carrier.datagram = &m.atClient, Datagram{At: m.now, Data: packet}
	if _, drop := s.receive(m.now, packet); drop != DropNone {
		t.Fatal(drop)
	}
	if m.atClient.acked != before {
		t.Error("a void acknowledgement counted")
	}
}

// A history takes memory for what is under way, and for what got lost; with a peer that acknowledges nothing for no more
// than the window. A round trip that lasts allocates nothing.
func TestSendHistoryGrowsWithWhatIsUnderWay(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var out sendHistory
	i := 0
	step := func() {
		at := time.Duration(i) * second60
		if seq := out.add(at, true); i >= 6 && random.IntN(50) > 0 {
			out.ack(seq - 6)
		}
		out.update(at, 1100*time.Millisecond)
		i++
	}
	for range 5000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	remembered := func() (entries int) {
		for back := range uint16(sentWindow) {
			if p := out.sent.Find(out.next - 1 - back); p != nil && p.used {
				entries++
			}
		}
		return entries
	}
	// A window has some twenty that got lost, and the ring those of a second.
	if n := remembered(); n > 128+60 {
		t.Errorf("%d packets are remembered", n)
	}
	for range 3 * sentWindow {
		out.add(time.Duration(i)*second60, true)
	}
	if n := remembered(); n != sentWindow {
		t.Errorf("%d packets are remembered of a peer that acknowledges nothing", n)
	}
}
