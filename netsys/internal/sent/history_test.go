package sent

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/recent"
)

// perTick is the time between packets at 60 a second.
const perTick = time.Second / 60

func TestHistory(t *testing.T) {
	h := New(new(recent.Loss))
	if h.Ack(0) != nil || h.Ack(1<<16-1) != nil {
		t.Error("acknowledged before anything was sent")
	}
	for i := range 200_000 {
		seq := h.Add(time.Duration(i), true)
		if int(seq) != i%(1<<16) {
			t.Fatalf("number %d at %d", seq, i)
		}
		if i >= Window && h.Ack(seq-Window) != nil {
			t.Fatal("acknowledged outside the window")
		}
		if h.Ack(seq+1) != nil {
			t.Fatal("acknowledged before it was sent")
		}
		if old := seq - uint16(i%100); i >= 100 {
			if first, again := h.Ack(old), h.Ack(old); first != nil && first.Seq != old || again != nil {
				t.Fatalf("%d: %v, then %v", old, first, again)
			}
		}
	}
}

// A history takes memory for what is under way, and for what got lost; with a peer that acknowledges nothing for no more
// than the window. A round trip that lasts allocates nothing.
func TestHistoryGrowsWithWhatIsUnderWay(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	out := New(new(recent.Loss))
	i := 0
	step := func() {
		at := time.Duration(i) * perTick
		if seq := out.Add(at, true); i >= 6 && random.IntN(50) > 0 {
			out.Ack(seq - 6)
		}
		out.Update(at, 1100*time.Millisecond)
		i++
	}
	for range 5000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	remembered := func() (entries int) {
		for back := range uint16(Window) {
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
	for range 3 * Window {
		out.Add(time.Duration(i)*perTick, true)
	}
	if n := remembered(); n != Window {
		t.Errorf("%d packets are remembered of a peer that acknowledges nothing", n)
	}
}
