package netsys

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestSentPackets(t *testing.T) {
	h := newSentPackets(new(recentLoss))
	if h.acknowledge(0) != nil || h.acknowledge(1<<16-1) != nil {
		t.Error("acknowledged before anything was sent")
	}
	for i := range 200_000 {
		seq := h.add(time.Duration(i), true)
		if int(seq) != i%(1<<16) {
			t.Fatalf("number %d at %d", seq, i)
		}
		if i >= sentWindow && h.acknowledge(seq-sentWindow) != nil {
			t.Fatal("acknowledged outside the window")
		}
		if h.acknowledge(seq+1) != nil {
			t.Fatal("acknowledged before it was sent")
		}
		if old := seq - uint16(i%100); i >= 100 {
			if first, again := h.acknowledge(old), h.acknowledge(old); first != nil && first.seq != old || again != nil {
				t.Fatalf("%d: %v, then %v", old, first, again)
			}
		}
	}
}

// There is memory for the packets that are under way, and for those that got lost; with a peer that acknowledges nothing, for no more
// than the window. A round trip that lasts allocates nothing.
func TestSentPacketsGrowWithWhatIsUnderWay(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	out := newSentPackets(new(recentLoss))
	i := 0
	step := func() {
		at := time.Duration(i) * second60
		if seq := out.add(at, true); i >= 6 && random.IntN(50) > 0 {
			out.acknowledge(seq - 6)
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
			if p := out.packets.Find(out.next - 1 - back); p != nil && p.sent {
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
