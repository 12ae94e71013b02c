package baseline

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// However packets are lost, late and acknowledged twice, and whatever else takes numbers of the session, what a
// packet told of is found once, as long as it is no older than the floor and one of the last 512.
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
				found := p.take(x.seq)
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

// Room grows with what is under way, and is given back when less is.
func TestPacketsGiveBackTheirRoom(t *testing.T) {
	var p packets
	seq := uint16(0)
	run := func(sends, delay int) {
		for range sends {
			seq++
			p.put(seq, uint32(seq), uint32(max(int(seq)-delay-5, 0)), []Block{{}})
			p.take(seq - uint16(delay))
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

// settled is a client that was told of so many groups, all in one block, for a while.
func settled(groups, delay uint32) *Client {
	c := New()
	c.World.Grow(int(groups))
	c.Own.Grow(1)
	c.Joined()
	for n := uint32(1); n <= 300; n++ {
		c.Promise(n, n)
		b := []Block{{Count: 1, Slots: wire.AllSlots, Send: n, Chunk: -1, Own: true}, {Count: uint16(groups), Slots: wire.AllSlots, Send: n, Chunk: -1}}
		c.Note(&b[1])
		c.Sent(uint16(n), n, b)
		c.Acked(uint16(n - delay))
	}
	return c
}

// A client in a small world that rests takes no more than 8 KiB, with 20 groups and a round trip of 300 ms.
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

// Of groups that a client is not told of there is no record, wherever they stand, and records are found
// by number whether some are missing or not.
func TestRecordsAreOfWhatIsTold(t *testing.T) {
	testgame.Seeds(t, 50, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 4))
		var c Client
		c.World.Grow(r.IntN(5))
		want := map[uint32]uint32{}
		for _, g := range c.World.Groups() {
			want[g] = 0
		}
		for send := uint32(1); send < 200; send++ {
			g := uint32(r.IntN(3000))
			if r.IntN(3) == 0 {
				g = uint32(r.IntN(8))
			}
			if _, ok := want[g]; !ok {
				want[g] = send
			}
			c.World.Tell(g, send)
			if r.IntN(4) == 0 {
				gone := c.World.Groups()[r.IntN(c.World.Len())]
				delete(want, gone)
				c.Hide(gone, send, 0, wire.AllSlots) // of which it was never told
				c.gone = true
				c.LetGo()
			}
			for range 20 {
				g := uint32(r.IntN(3000))
				since, ok := want[g]
				if h := c.World.At(g); (h != nil) != ok || ok && h.since != since {
					t.Fatalf("send %d: group %d has %+v, should be of %d, %v", send, g, h, since, ok)
				}
			}
			if n := c.World.Len(); n != len(want) {
				t.Fatalf("%d records, not %d", n, len(want))
			}
			for i := range c.World.Len() {
				if g, h := c.World.Nth(i); c.World.At(g) != h || i > 0 && c.World.Groups()[i-1] >= g {
					t.Fatalf("send %d: %v", send, c.World.Groups())
				}
			}
		}
	})
}

// The floor of many groups rises as that of few, some sends later, and is never above what a group stands on
// that is acknowledged in time.
func TestFloorFollowsManyGroups(t *testing.T) {
	const groups, delay, sends = 1000, 4, 300
	c := New()
	c.World.Grow(groups)
	c.Joined()
	for n := uint32(1); n <= sends; n++ {
		c.Promise(n, n)
		c.Sent(uint16(n), n, []Block{{Count: groups, Slots: wire.AllSlots, Send: n, Chunk: -1}})
		c.Acked(uint16(n - delay))
		for i := range c.World.Len() {
			if _, h := c.World.Nth(i); h.newest != 0 && h.newest < c.floor {
				t.Fatalf("send %d: the floor is %d, a group stands on %d", n, c.floor, h.newest)
			}
		}
	}
	if late := sends - c.floor; late > delay+floorMargin+2*walkedShare {
		t.Errorf("the floor is %d sends old", late)
	}
}
