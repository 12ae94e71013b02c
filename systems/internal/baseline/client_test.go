package baseline

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// modelPacket is a packet of the model on its way to the client.
type modelPacket struct {
	seq    uint16
	epoch  uint8
	send   uint32
	blocks []Block
}

// Random matches of a model server and a model client: packets and acknowledgements are lost, duplicated and reordered, groups
// are sent whole and in parts, slots go out of sight and return, and sometimes the client cannot decode and requests another
// epoch. What the server has recorded must be true at all times: each baseline is a state that the client has, for all slots
// that use it, and is not older than the floor.
func TestBeliefCampaign(t *testing.T) { testgame.Seeds(t, 150, believe) }

func believe(t *testing.T, seed uint64) {
	const groups = 3
	r := rand.New(rand.NewPCG(seed, 6))
	p := New()
	p.World.Grow(groups)
	type key struct {
		group uint32
		send  uint32
	}
	took := map[key]uint64{} // slots of a group and send that the client holds, in its epoch
	told := [groups]uint64{} // hidden slots that the client was told of since they were
	visible := [groups]uint64{wire.AllSlots, wire.AllSlots, wire.AllSlots}
	var clientEpoch uint8
	var flying []modelPacket
	type ack struct {
		seq uint16
		due int
	}
	var acks []ack
	loss, failing, hiding := r.Float64()*0.7, r.Float64()*0.02, r.IntN(3) == 0
	seq := uint16(65_500) // wraps soon
	var flipped [groups][64]uint32

	const sends, quiet = 600, 150
	for n := 1; n <= sends+quiet; n++ {
		send := uint32(n)
		if n > sends {
			loss, failing, hiding = 0, 0, false
			visible = [groups]uint64{wire.AllSlots, wire.AllSlots, wire.AllSlots}
		}
		p.StartEpoch()
		for g := range groups {
			before := visible[g]
			if hiding && r.IntN(10) == 0 {
				visible[g] ^= 1 << r.IntN(64)
			}
			if n == sends+1 {
				before = 0
			}
			for k := range 64 {
				if (before^visible[g])>>k&1 != 0 {
					flipped[g][k] = send
					told[g] &^= 1 << k
				}
			}
			p.Hide(uint32(g), send, visible[g], wire.AllSlots)
		}
		p.UpdateFloor(send, send)
		var pk modelPacket
		flush := func() {
			pk.seq, pk.epoch, pk.send = seq, p.epoch, send
			p.Sent(pk.seq, send, pk.blocks)
			seq++
			if r.Float64() >= loss {
				flying = append(flying, pk)
				if r.IntN(10) == 0 {
					flying = append(flying, pk)
				}
			}
			pk = modelPacket{}
		}
		for g := range uint32(groups) {
			h := p.World.At(g)
			slots := visible[g]
			if n <= sends && r.IntN(5) == 0 {
				slots &= r.Uint64() // the budget
			}
			if hidden, _ := h.Hidden(); hidden != ^visible[g] {
				t.Fatalf("seed %d send %d: hidden %#x, should be %#x", seed, n, hidden, ^visible[g])
			}
			for slots != 0 {
				age, two, serves := p.World.At(g).Choose(send, p.floor, slots, true, MaxAge)
				if age == 0 {
					serves = slots
				} else {
					if serves == 0 || serves&^slots != 0 {
						t.Fatalf("seed %d send %d: slots %#x of %#x", seed, n, serves, slots)
					}
					// A client that asked for another epoch and was not heard yet is on its own.
					for back := range uint32(2) {
						if b := send - age - back; p.epoch == clientEpoch && (back == 0 || two) {
							if serves&^took[key{g, b}] != 0 {
								t.Fatalf("seed %d send %d: group %d stands on send %d, of which the client never took in %#x", seed, n, g, b, serves&^took[key{g, b}])
							}
							if b < p.floor {
								t.Fatalf("seed %d send %d: base %d lies below the floor %d", seed, n, b, p.floor)
							}
						}
					}
				}
				pk.blocks = append(pk.blocks, Block{First: g, Count: 1, Slots: serves, Send: send, Chunk: -1})
				p.Note(&pk.blocks[len(pk.blocks)-1])
				slots &^= serves
				if r.IntN(4) == 0 {
					flush()
				}
			}
			h = p.World.At(g) // Note may have moved it
			if hidden, untold := h.Hidden(); untold != 0 {
				pk.blocks = append(pk.blocks, Block{First: g, Count: 1, Slots: untold, Send: send, Chunk: -1, Hidden: true})
			} else if p.epoch == clientEpoch {
				if silent := hidden & h.everSent &^ told[g]; silent != 0 {
					t.Fatalf("seed %d send %d: the client was never told that slots %#x are out of sight", seed, n, silent)
				}
			}
		}
		flush()

		// The client: any of the last packets may come now, in any order. One that it
		// cannot decode is acknowledged all the same.
		r.Shuffle(len(flying), func(i, k int) { flying[i], flying[k] = flying[k], flying[i] })
		keep := r.IntN(len(flying) + 1)
		if n > sends {
			keep = 0
		}
		for _, pk := range flying[keep:] {
			acks = append(acks, ack{pk.seq, n + r.IntN(8)})
			if pk.epoch == clientEpoch && r.Float64() < failing {
				clientEpoch++
				clear(took) // nothing of before can be relied on
				told = [groups]uint64{}
				continue
			}
			if pk.epoch != clientEpoch {
				continue // as bad as it gets: all that is left of the old epoch fails too
			}
			for _, b := range pk.blocks {
				if b.Hidden {
					for k := range took { // no state of before is stood on
						if k.group == b.First && k.send < b.Send {
							took[k] &^= b.Slots
						}
					}
					for k := range 64 {
						if b.Slots>>k&1 != 0 && b.Send >= flipped[b.First][k] {
							told[b.First] |= 1 << k
						}
					}
				} else {
					took[key{b.First, b.Send}] |= b.Slots
				}
			}
		}
		flying = flying[:keep]
		for k := range took {
			if k.send < p.floor {
				delete(took, k) // the client lets go as soon as it may
			}
		}

		// The way back: the newest input tells the epoch, acknowledgements come late,
		// twice, or never.
		if r.Float64() < loss {
			continue
		}
		rest := acks[:0]
		for _, a := range acks {
			if a.due > n && n <= sends {
				rest = append(rest, a)
				continue
			}
			for range 1 + r.IntN(2) {
				p.Acked(a.seq)
			}
		}
		acks = rest
		p.Ask(clientEpoch)
	}
	for g := range uint32(groups) {
		h := p.World.At(g)
		if age, two, serves := h.Choose(sends+quiet+1, p.floor, wire.AllSlots, true, MaxAge); h.perSlot != nil || age != 1 || !two || serves != wire.AllSlots {
			t.Fatalf("seed %d: in the end group %d stands %d sends back, second %v, in parts %v", seed, g, age, two, h.perSlot != nil)
		}
	}
	if send := uint32(sends + quiet); p.floor+MaxAge < send || p.floor+floorMargin+2 < send {
		t.Fatalf("seed %d: the floor is %d at send %d", seed, p.floor, send)
	}
}

// The content of a packet counts once, under its own sequence number, from the floor on and never across an epoch.
func TestPacketsCountOnce(t *testing.T) {
	p := New()
	p.World.Grow(8)
	told := []Block{{First: 1, Count: 4, Slots: wire.AllSlots, Send: 3, Chunk: -1}}
	p.Sent(7, 3, told)
	if p.Acked(7+fewPackets) != nil {
		t.Error("another packet of the same place was taken")
	}
	if x := p.Acked(7); x == nil || x.Blocks[0].Count != 4 || p.World.At(4).newest != 3 || p.World.At(5).newest != 0 {
		t.Errorf("%+v", x)
	}
	if p.Acked(7) != nil {
		t.Error("taken twice")
	}
	p = New()
	p.World.Grow(8)
	p.Sent(8, 3, told)
	p.floor = 4
	if p.Acked(8); p.World.At(1).newest != 0 {
		t.Error("a baseline below the floor, where the client may have let go")
	}
	p.Sent(9, 5, nil)
	p.Ask(1)
	p.StartEpoch()
	if p.Acked(9) != nil {
		t.Error("taken from an epoch that is over")
	}
}

// NewestSent and SentState find the sends of a slot. An acknowledgement counts if the client could see the slot ever since.
func TestTellsOfSlots(t *testing.T) {
	p := New()
	p.World.Grow(3)
	p.Sent(7, 3, []Block{{First: 0, Count: 2, Slots: 1<<5 | 1<<6, Send: 3, Chunk: -1}, {First: 2, Count: 1, Slots: wire.AllSlots, Send: 3, Chunk: -1, Own: true}})
	p.Sent(8, 3, []Block{{First: 2, Count: 1, Slots: 1 << 9, Send: 2, Chunk: 4}, {First: 2, Count: 1, Slots: 1 << 8, Send: 3, Chunk: -1, Hidden: true}})
	for _, c := range []struct {
		send, group uint32
		slot        int
		want        uint32
	}{{3, 0, 5, 3}, {3, 1, 6, 3}, {3, 1, 7, 0}, {4, 1, 5, 0}, {2, 2, 9, 0}, {3, 2, 9, 2}, {3, 2, 8, 0}, {3, 2, 5, 0}} {
		if got := p.SentState(c.send, c.group, c.slot); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	counts := func(what string, send uint32, five, six bool) {
		t.Helper()
		h := p.World.At(0)
		if h.Counts(send, 5) != five || h.Counts(send, 6) != six {
			t.Errorf("%s: send %d: %v, %v", what, send, h.Counts(send, 5), h.Counts(send, 6))
		}
	}
	counts("seen", 3, true, true)
	p.Hide(0, 5, wire.AllSlots&^(1<<5), wire.AllSlots)
	counts("one is hidden", 4, false, true)
	counts("one is hidden", 5, false, true)
	p.Hide(0, 6, wire.AllSlots, wire.AllSlots)
	counts("it is back", 5, false, true)
	counts("it is back", 6, true, true)
	p.Hide(0, 8, 0, wire.AllSlots)
	counts("all are hidden", 8, false, false)
}

// The record of a whole group is a list of sends, in whatever order acknowledgements arrive.
func TestHoldingOfWholeGroups(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 41))
		var h Group
		var free freeSlots
		have := map[uint32]bool{}
		newest := uint32(0)
		for range 200 {
			send := newest + uint32(r.IntN(4))
			switch r.IntN(12) {
			case 0:
				send = newest + uint32(r.IntN(200))
			case 1, 2, 3:
				send -= min(send, uint32(r.IntN(150)))
			}
			if send == 0 {
				continue
			}
			h.ack(send, wire.AllSlots, &free)
			have[send] = true
			newest = max(newest, send)
			for back := range min(uint32(140), newest) {
				want := have[newest-back] && back <= 128
				if got := h.Holds(newest-back) == wire.AllSlots; got != want && (back < 120 || got) {
					t.Fatalf("seed %d: at %d, holds %d: %v", seed, newest, newest-back, got)
				}
			}
			if h.Holds(newest+1) != 0 || h.Holds(0) != 0 {
				t.Fatal("it holds what nobody sent")
			}
			if r.IntN(20) == 0 {
				h.apart(&free)
				for s := range have { // there is room for one of those whose numbers are alike
					for later := s + fewSends; later <= newest; later += fewSends {
						if s+mostSends <= newest || have[later] {
							delete(have, s)
							break
						}
					}
				}
				h.join(newest, &free)
			}
		}
	}
}
