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
// are sent whole and in parts, and sometimes the client cannot decode and requests another
// epoch. What the server has recorded must be true at all times: each baseline is a state that the client has, for all slots
// that use it, and is not older than the floor.
func TestBeliefCampaign(t *testing.T) { testgame.Seeds(t, 150, believe) }

func believe(t *testing.T, seed uint64) {
	const groups = 3
	r := rand.New(rand.NewPCG(seed, 6))
	p := New()
	p.Own.Grow(groups)
	type key struct {
		group uint32
		send  uint32
	}
	took := map[key]uint64{} // slots of a group and send that the client holds, in its epoch
	var clientEpoch uint8
	var flying []modelPacket
	type ack struct {
		seq uint16
		due int
	}
	var acks []ack
	loss, failing := r.Float64()*0.7, r.Float64()*0.02
	seq := uint16(65_500) // wraps soon

	const sends, quiet = 600, 150
	for n := 1; n <= sends+quiet; n++ {
		send := uint32(n)
		if n > sends {
			loss, failing = 0, 0
		}
		p.StartEpoch()
		p.UpdateFloor(send, send, send)
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
			slots := wire.AllSlots
			if n <= sends && r.IntN(5) == 0 {
				slots &= r.Uint64() // the budget
			}
			for slots != 0 {
				age, two, serves := p.Own.At(g).Choose(send, p.floor, slots, true, MaxAge)
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
				pk.blocks = append(pk.blocks, Block{First: g, Count: 1, Slots: serves, Send: send, Chunk: -1, Own: true})
				slots &^= serves
				if r.IntN(4) == 0 {
					flush()
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
				continue
			}
			if pk.epoch != clientEpoch {
				continue // as bad as it gets: all that is left of the old epoch fails too
			}
			for _, b := range pk.blocks {
				took[key{b.First, b.Send}] |= b.Slots
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
		h := p.Own.At(g)
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
	p.Own.Grow(8)
	told := []Block{{First: 1, Count: 4, Slots: wire.AllSlots, Send: 3, Chunk: -1, Own: true}}
	p.Sent(7, 3, told)
	if p.Acked(7+fewPackets) != nil {
		t.Error("another packet of the same place was taken")
	}
	if x := p.Acked(7); x == nil || x.Blocks[0].Count != 4 || p.Own.At(4).newest != 3 || p.Own.At(5).newest != 0 {
		t.Errorf("%+v", x)
	}
	if p.Acked(7) != nil {
		t.Error("taken twice")
	}
	p = New()
	p.Own.Grow(8)
	p.Sent(8, 3, told)
	p.floor = 4
	if p.Acked(8); p.Own.At(1).newest != 0 {
		t.Error("a baseline below the floor, where the client may have let go")
	}
	p.Sent(9, 5, nil)
	p.Ask(1)
	p.StartEpoch()
	if p.Acked(9) != nil {
		t.Error("taken from an epoch that is over")
	}
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
