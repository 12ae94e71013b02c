package baseline

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The content of a packet is found once, as long as it is not older than the floor and among the last 512. Packets may be
// lost, late or acknowledged twice, and the session may use other sequence numbers.
func TestPacketsAreFoundWhileTheyCount(t *testing.T) {
	testgame.Seeds(t, 100, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		type sent struct {
			send  uint32
			seq   uint16
			taken bool
		}
		var p packets
		var all []sent
		seq, floor := uint16(r.Uint32()), uint32(0)
		keep := uint32(1 + r.IntN(200))
		for send := uint32(1); send < 400; send++ {
			floor = max(floor, send-min(send, keep))
			for range 1 + r.IntN(3) {
				seq += uint16(1 + r.IntN(4))
				p.put(seq, send, floor, []Block{{First: send, Count: 1, Send: send}})
				all = append(all, sent{send: send, seq: seq})
			}
			for range 4 {
				back := r.IntN(min(len(all), 600))
				x := &all[len(all)-1-back]
				found := p.acknowledge(x.seq)
				if found == nil && !x.taken && x.send >= floor && back < mostPackets {
					t.Fatalf("send %d: packet %d of send %d is not found, the floor is %d", send, x.seq, x.send, floor)
				}
				if found == nil {
					continue
				}
				if x.taken || found.Send != x.send || found.Blocks[0].First != x.send {
					t.Fatalf("send %d: %+v is found for %+v", send, found, x)
				}
				x.taken = true
			}
		}
	})
}

// Memory grows with the packets in flight and is released when there are fewer.
func TestPacketsGiveBackTheirRoom(t *testing.T) {
	var p packets
	seq := uint16(0)
	run := func(sends, delay int) {
		for range sends {
			seq++
			p.put(seq, uint32(seq), uint32(max(int(seq)-delay-5, 0)), []Block{{}})
			p.acknowledge(seq - uint16(delay))
		}
	}
	run(200, 4)
	if len(p.ring) != fewPackets {
		t.Errorf("room for %d packets where 4 are under way", len(p.ring))
	}
	run(600, 100)
	if len(p.ring) != 128 && len(p.ring) != 256 {
		t.Errorf("room for %d packets where 100 are under way", len(p.ring))
	}
	run(3*shrinkEvery, 4)
	if len(p.ring) != fewPackets {
		t.Errorf("room for %d packets where 4 are under way again", len(p.ring))
	}
	// One that is lost does not hold up those behind it for longer than a baseline lasts.
	seq++
	p.put(seq, uint32(seq), 0, nil)
	run(shrinkEvery, 4)
	if len(p.ring) != fewPackets {
		t.Errorf("room for %d packets after one was lost", len(p.ring))
	}
	if n := testing.AllocsPerRun(100, func() { run(1, 4) }); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

// settled returns a client that has received a number of groups, all in one block, for a while.
func settled(groups, delay uint32) *Client {
	c := New()
	c.Own.Grow(int(groups))
	for n := uint32(1); n <= 300; n++ {
		c.UpdateFloor(n, n, n)
		c.Sent(uint16(n), n, []Block{{Count: uint16(groups), Slots: wire.AllSlots, Send: n, Chunk: -1, Own: true}})
		c.Acked(uint16(n - delay))
	}
	return c
}

// A client in a small world at rest needs at most 8 KiB, with 20 groups and a round trip of 300 ms.
func TestClientAtRestIsSmall(t *testing.T) {
	const clients = 500
	var before, after runtime.MemStats
	all := make([]*Client, clients)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = settled(20, 6)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if size := (after.HeapAlloc - before.HeapAlloc) / clients; size > 8<<10 {
		t.Errorf("%d bytes a client", size)
	} else {
		t.Logf("%d bytes a client", size)
	}
	runtime.KeepAlive(all)
}

// Neighbouring groups share one record while their records are equal, and again once they are equal again.
func TestNeighboursHaveOneRecord(t *testing.T) {
	c := settled(20, 6)
	seq := uint16(300)
	tell := func(lost bool, blocks ...Block) {
		seq++
		for i := range blocks {
			blocks[i].Send, blocks[i].Chunk, blocks[i].Own = uint32(seq), -1, true
		}
		if c.Sent(seq, uint32(seq), blocks); !lost {
			c.Acked(seq)
		}
	}
	records := func(when string, want int) {
		t.Helper()
		if n := c.Own.Len(); n != want {
			t.Errorf("%s: %d records, not %d", when, n, want)
		}
	}
	records("all is told at once", 1)
	part := Block{First: 5, Count: 3, Slots: wire.AllSlots}
	tell(false, part)
	records("a part is told alone", 3)
	if a, b, d := c.Own.At(4), c.Own.At(5), c.Own.At(8); a.Holds(uint32(seq)) != 0 || b.Holds(uint32(seq)) != wire.AllSlots || d.Holds(uint32(seq)) != 0 {
		t.Error("what was told of a part holds of others")
	}
	tell(false, Block{Count: 5, Slots: wire.AllSlots}, Block{First: 5, Count: 15, Slots: wire.AllSlots})
	records("in two parts", 3)
	tell(true, part)
	tell(false, Block{First: 6, Count: 1, Slots: 1 << 9})
	records("a slot is told alone", 5)
	for range 140 {
		tell(false, Block{Count: 20, Slots: wire.AllSlots})
	}
	records("all is told at once for long", 1)
}
