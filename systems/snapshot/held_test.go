package snapshot

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// receipts records when the datagrams of a client were acknowledged.
type receipts struct {
	of     map[receipt][]*uint32 // ticks, 0 for never
	pieces map[uint32]uint32     // by send of the state of a join: their number
}

// receipt identifies what a datagram contains.
type receipt struct {
	send  uint32
	own   bool
	piece int // -1: not a piece
}

// arrived reports whether all datagrams with some content were acknowledged before a tick, of pieces at least one.
func (x *receipts) arrived(of receipt, tick uint32) bool {
	any := false
	for _, at := range x.of[of] {
		is := *at != 0 && *at <= tick
		if any = any || is; of.piece < 0 && !is {
			return false
		}
	}
	return any
}

// has reports whether the client holds the state of a send at a tick.
func (x *receipts) has(send uint32, own bool, tick uint32) bool {
	if x.arrived(receipt{send, own, -1}, tick) {
		return true
	}
	n := x.pieces[send]
	for piece := range n {
		if !x.arrived(receipt{send, false, int(piece)}, tick) {
			return false
		}
	}
	return n > 0 && !own
}

// Whatever is lost and whatever fits, each baseline is a state all of which was acknowledged in the same epoch, and is not below the
// floor.
func TestBaselinesAreHeld(t *testing.T) {
	testgame.Seeds(t, 15, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 6))
		g := newPlaza(20+r.IntN(300), Config{Budget: []int{250, 600, 2400}[r.IntN(3)]}, nil)
		looks := map[*peer]func([]Packet){}
		loss, baselines := r.Float64()*0.6, 0
		for range 3 {
			p := g.join(uint32(1 + r.IntN(60)))
			x := &receipts{map[receipt][]*uint32{}, map[uint32]uint32{}}
			var flying []*uint32
			p.lost = func() bool {
				at := flying[0]
				flying = flying[1:]
				if r.Float64() < loss {
					return true
				}
				*at = g.tick + p.delay
				return false
			}
			for range r.IntN(40) {
				g.w.Spawn(components.Owner{Client: g.came}, place{X: r.Float32()})
			}
			epoch := uint8(0)
			looks[p] = func(packets []Packet) {
				if epoch != p.c.epoch { // the client has forgotten everything
					epoch = p.c.epoch
					clear(x.of)
					clear(x.pieces)
				}
				for i := range packets {
					at := new(uint32)
					flying = append(flying, at)
					read(t, packets[i].Bytes, p.c.started, func(of receipt, pieces uint32) {
						x.of[of] = append(x.of[of], at)
						if of.piece >= 0 {
							x.pieces[of.send] = pieces
						}
					}, func(base uint32, own bool) {
						if baselines++; !x.has(base, own, g.tick-1) || base < p.c.floor {
							t.Fatalf("send %d of client %d has a baseline of send %d, own %v, above floor %d", p.c.started, p.c.id, base, own, p.c.floor)
						}
					})
				}
			}
		}
		for n := range 900 {
			for range r.IntN(20) {
				g.move(r.IntN(1000))
			}
			if e := g.all[r.IntN(len(g.all))]; n%4 == 0 && ecs.Has[tint](g.w, e) {
				ecs.Remove[tint](g.w, e)
			}
			if n%200 == 0 {
				for p := range looks {
					p.c.Ask(p.c.epoch+1, 0)
				}
			}
			g.run(1, func(p *peer, packets []Packet) { looks[p](packets) })
		}
		if baselines < 300 {
			t.Errorf("%d baselines", baselines)
		}
	})
}

// read calls part for what a datagram contains, and base for each baseline.
func read(t *testing.T, b []byte, send uint32, part func(of receipt, pieces uint32), base func(send uint32, own bool)) {
	var r codec.ByteReader
	r.Reset(b)
	h, err := wire.ReadSnapshotHeader(&r)
	for age := uint32(0); err == nil && r.Len() > 0; {
		var x wire.BlockHead
		if x, _, err = wire.ReadBlock(&r, age); err != nil {
			break
		}
		of := receipt{send, x.Own, -1}
		if x.Piece {
			of = receipt{send - h.Back, false, int(x.Number)}
		}
		part(of, h.Pieces)
		if age = x.Age; age > 0 {
			base(send-age, x.Own)
		}
		if x.Two {
			base(send-age-1, x.Own)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
