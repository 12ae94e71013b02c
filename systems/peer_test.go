package systems

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// mind is what a client of the model knows: for each entity, the sends of this
// epoch whose state it took in, and whether it heard of its life and of its end.
type mind struct {
	took       map[uint32]map[uint32]bool
	seen, gone map[uint32]bool
}

// modelPacket is a packet of the model on its way to the client.
type modelPacket struct {
	seq   uint16
	epoch uint8
	span
	alive, dead []uint32
}

// A model of a server and a client between which packets and acknowledgements are
// lost and overtake each other, entities come and go, and now and then the client
// cannot decode what it got and asks for another epoch. What the server believes
// about the client must be true at all times: a baseline is a send that the client
// took in, nothing leaves the list that the client may still think alive, and in
// the end the two know the same.
func TestServerBelievesOnlyWhatIsTrue(t *testing.T) {
	for seed := range uint64(150) {
		believe(t, seed)
	}
}

func believe(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 6))
	p := &peer{}
	var frames []*frame // by send
	frames = append(frames, nil)
	world, next := []uint32{}, uint32(1)
	client := mind{took: map[uint32]map[uint32]bool{}, seen: map[uint32]bool{}, gone: map[uint32]bool{}}
	var clientEpoch uint8
	var flying []modelPacket
	type ack struct {
		seq uint16
		due int
	}
	var acks []ack
	loss, failing := r.Float64()*0.7, r.Float64()*0.02
	seq := uint16(65_500) // wraps soon

	const sends, quiet = 600, 400
	for n := 1; n <= sends+quiet; n++ {
		if n > sends {
			loss, failing = 0, 0
		} else {
			for range r.IntN(3) {
				world = append(world, next)
				next++
			}
			for len(world) > 0 && r.IntN(3) > 0 {
				i := r.IntN(len(world))
				world = slices.Delete(world, i, i+1)
			}
		}
		f := &frame{send: uint32(n), ids: slices.Clone(world)}
		frames = append(frames, f)

		p.renew()
		p.merge(f)
		p.promise(f.send)
		if f.send-p.floor > maxAge {
			t.Fatalf("seed %d send %d: floor %d", seed, n, p.floor)
		}
		// Packets of up to ten entities each.
		var pk modelPacket
		flush := func() {
			pk.seq, pk.epoch, pk.send = seq, p.epoch, f.send
			p.remember(pk.seq, pk.span)
			seq++
			if r.Float64() >= loss {
				flying = append(flying, pk)
			}
			pk = modelPacket{span: span{first: 1}}
		}
		pk.span = span{first: 1}
		for _, k := range p.known {
			if k.buried != 0 {
				continue
			}
			// A client that asked for another epoch and was not heard yet is on its own.
			if p.epoch == clientEpoch && k.base != 0 && !k.gone && !client.took[k.id][k.base] {
				t.Fatalf("seed %d send %d: entity %d stands on send %d, which the client never took in", seed, n, k.id, k.base)
			}
			if k.base != 0 && !k.gone && k.base < p.floor {
				t.Fatalf("seed %d send %d: base %d lies below the floor %d", seed, n, k.base, p.floor)
			}
			if pk.last == 0 {
				pk.first = k.id
			}
			pk.last = k.id
			if k.gone {
				pk.dead = append(pk.dead, k.id)
			} else {
				pk.alive = append(pk.alive, k.id)
			}
			if len(pk.alive)+len(pk.dead) == 10 {
				flush()
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
				client.took = map[uint32]map[uint32]bool{} // nothing of before can be relied on
				continue
			}
			if pk.epoch != clientEpoch {
				continue // as bad as it gets: all that is left of the old epoch fails too
			}
			for _, id := range pk.alive {
				if client.took[id] == nil {
					client.took[id] = map[uint32]bool{}
				}
				client.took[id][pk.send] = true
				client.seen[id] = true
			}
			for _, id := range pk.dead {
				client.gone[id] = true
			}
		}
		flying = flying[:keep]

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
				if sp, ok := p.take(a.seq); ok {
					p.acked(sp, frames[sp.send], uint32(n))
				}
			}
		}
		acks = rest
		p.asked = clientEpoch
	}
	for id := uint32(1); id < next; id++ {
		alive := slices.Contains(world, id)
		thinks := client.seen[id] && !client.gone[id]
		if alive != thinks {
			t.Fatalf("seed %d: entity %d is alive: %v, the client thinks: %v", seed, id, alive, thinks)
		}
	}
	if len(p.known) != len(world) {
		t.Fatalf("seed %d: %d entities, %d known", seed, len(world), len(p.known))
	}
}

// A span is taken once, under its own sequence, and never across an epoch.
func TestSentPacketsAreTakenOnce(t *testing.T) {
	p := &peer{}
	p.remember(7, span{send: 3, first: 1, last: 4})
	p.remember(8, span{send: 3, first: 5, last: 9})
	if _, ok := p.take(7 + sentRing); ok {
		t.Error("another packet of the same place was taken")
	}
	if sp, ok := p.take(7); !ok || sp.last != 4 {
		t.Errorf("%+v %v", sp, ok)
	}
	if _, ok := p.take(7); ok {
		t.Error("taken twice")
	}
	p.floor = 4
	if _, ok := p.take(8); ok {
		t.Error("taken from below the floor, where the client may have let go")
	}
	p.remember(9, span{send: 5, first: 1, last: 4})
	p.asked = 1
	p.renew()
	if _, ok := p.take(9); ok {
		t.Error("taken from an epoch that is over")
	}
}
