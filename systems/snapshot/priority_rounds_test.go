package snapshot

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// shake moves entities by chance.
func (g *plaza) shake(r *rand.Rand, all []ecs.Entity) {
	for _, e := range all {
		*ecs.Get[place](g.w, e) = place{X: r.Float32()*1000 - 500, Y: r.Float32()*1000 - 500}
	}
}

// turnsOf counts the sends to one client and the groups in them, and records the longest wait of a group.
type turnsOf struct {
	sends, told uint32
	last        map[uint32]uint32 // by group, the send in which it was told of
	longest     uint32
}

func (x *turnsOf) send(groups int, holds [][]baseline.Block) {
	x.sends++
	for _, blocks := range holds {
		for _, b := range blocks {
			if b.Own || b.Hidden {
				continue
			}
			for g := b.First; g < b.First+uint32(b.Count); g++ {
				if x.last[g] != x.sends {
					x.told++
				}
				x.last[g] = x.sends
			}
		}
	}
	for g := range uint32(groups) {
		if _, ok := x.last[g]; !ok {
			x.last[g] = x.sends
		}
		x.longest = max(x.longest, x.sends-x.last[g])
	}
}

// Under any loss, with any budgets of the clients, no group waits more than three times as long as an even share of the
// client's snapshots would give.
func TestTurnsAreFair(t *testing.T) {
	testgame.Seeds(t, 3, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 16))
		g := newPlaza(300+r.IntN(800), Config{}, nil)
		for range 2 + r.IntN(4) {
			p := g.join(uint32(1 + r.IntN(15)))
			loss := r.Float64() * 0.4
			p.lost = func() bool { return r.Float64() < loss }
		}
		g.run(150, nil)
		turns := map[*peer]*turnsOf{}
		for _, p := range g.peers {
			turns[p] = &turnsOf{last: map[uint32]uint32{}}
			g.s.SetBudget(p.c, []int{500, 1200, 2400}[r.IntN(3)])
		}
		for range 3 * 120 {
			g.shake(r, g.all)
			g.run(1, func(p *peer, packets []Packet) {
				var holds [][]baseline.Block
				for i := range packets {
					holds = append(holds, packets[i].Holds)
				}
				turns[p].send(len(g.s.Newest().Groups), holds)
			})
		}
		for _, p := range g.peers {
			x, groups := turns[p], uint32(len(g.s.Newest().Groups))
			if p.c.Joining() {
				t.Errorf("client %d never joined", p.c.id)
			}
			if even := groups * x.sends / x.told; x.longest > 3*even+3 {
				t.Errorf("client %d of %d: a group waits for %d sends, an even share is %d; budget %d", p.c.id, len(g.peers), x.longest, even, p.c.budget)
			}
		}
	})
}

// Clients share blocks even if not everything fits: with round trips from 20 to 200 ms and losses, a send needs few encodings
// per group, however many clients there are.
func TestTurnsShareBlocks(t *testing.T) {
	for _, clients := range []uint32{20, 100} {
		r := rand.New(rand.NewPCG(1, uint64(clients)))
		g := newPlaza(1200, Config{Budget: 2 * netsys.MaxPayload}, nil)
		for n := range clients {
			p := g.join(1 + 11*n/clients)
			p.lost = func() bool { return r.IntN(50) == 0 }
		}
		g.run(150, nil)
		for range 90 {
			g.shake(r, g.all)
			g.run(1, nil)
		}
		before, told := g.s.Stats(), 0
		for range 3 * 60 {
			g.shake(r, g.all)
			g.run(1, func(p *peer, packets []Packet) {
				for i := range packets {
					told += len(packets[i].Holds)
				}
			})
		}
		after := g.s.Stats()
		sends := int(after.Sends - before.Sends)
		blocks, each := float64(after.Encodes.Blocks-before.Encodes.Blocks)/float64(sends), float64(told)/float64(sends)/float64(clients)
		if over := after.OverBudget - before.OverBudget; over != uint64(clients)*uint64(sends) {
			t.Errorf("%d clients: %d of %d snapshots do not hold all: nothing is proven", clients, over, uint64(clients)*uint64(sends))
		}
		t.Logf("%d clients: %.1f blocks a send, %.1f in a snapshot", clients, blocks, each)
		if blocks > 6*each {
			t.Errorf("%d clients: %.1f blocks are encoded a send, a snapshot has %.1f", clients, blocks, each)
		}
	}
}

// Two clients with the same history receive the same blocks.
func TestTurnsAreTheSameForTheSameHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	g := newPlaza(900, Config{Budget: 900}, nil)
	g.join(5)
	g.join(5)
	g.join(9).lost = func() bool { return r.IntN(4) == 0 } // who goes another way
	var first []baseline.Block
	compared := 0
	for n := range 600 {
		g.shake(r, g.all[:n])
		g.run(1, func(p *peer, packets []Packet) {
			var all []baseline.Block
			for i := range packets {
				all = append(all, packets[i].Holds...)
			}
			switch p {
			case g.peers[0]:
				first = all
			case g.peers[1]:
				if compared += len(all); !slices.Equal(first, all) {
					t.Fatalf("tick %d: %v and %v", n, first, all)
				}
			}
		})
	}
	if g.s.Stats().OverBudget == 0 || compared == 0 {
		t.Error("all of it fits: nothing is proven")
	}
}

// newsTold returns how often a client receives three moving groups, in a world with a number of resting ones.
func newsTold(t *testing.T, resting int) (told int) {
	r := rand.New(rand.NewPCG(3, 4))
	g := newPlaza(64*(3+resting), Config{Budget: 700}, nil)
	p := g.join(5)
	g.run(600, nil)
	if p.c.Joining() {
		t.Fatal("it never joined")
	}
	for n := range 3 * 150 {
		g.shake(r, g.all[:64*3])
		g.run(1, func(_ *peer, packets []Packet) {
			for i := range packets {
				for _, b := range packets[i].Holds {
					if n > 3*50 && b.First < 3 {
						told++
					}
				}
			}
		})
	}
	if g.s.Stats().OverBudget == 0 {
		t.Error("all of it fits: nothing is proven")
	}
	return told
}

// Unchanged groups give their turn to changed ones, which are sent as often beside many resting groups as alone.
func TestTurnsGoToNews(t *testing.T) {
	alone, beside := newsTold(t, 0), newsTold(t, 100)
	if t.Logf("%d and %d times", alone, beside); beside*10 < alone*9 {
		t.Errorf("told %d times beside others that rest, %d times alone", beside, alone)
	}
}

// One client with a small budget among others with large ones waits no longer than its budget requires.
func TestTurnsOfTheSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	g := newPlaza(64*20, Config{Budget: 2400}, nil)
	for range 5 {
		g.join(5)
	}
	slow := g.peers[2]
	g.run(150, nil)
	g.s.SetBudget(slow.c, 600)
	x := &turnsOf{last: map[uint32]uint32{}}
	for n := range 3 * 200 {
		g.shake(r, g.all)
		g.run(1, func(p *peer, packets []Packet) {
			if p != slow || n < 150 {
				return
			}
			var holds [][]baseline.Block
			for i := range packets {
				holds = append(holds, packets[i].Holds)
			}
			x.send(20, holds)
		})
	}
	if even := 20 * x.sends / x.told; x.longest > 2*even || even < 6 {
		t.Errorf("a group waits for %d sends, an even share is %d", x.longest, even)
	}
}

// BenchmarkTurns measures the cost of a client if not everything fits: ns/client, and blocks/send, which all clients share.
func BenchmarkTurns(b *testing.B) {
	for _, size := range []struct{ clients, entities int }{{1000, 1200}, {1000, 4200}, {4000, 4200}} {
		b.Run(fmt.Sprintf("%dx%d", size.clients, size.entities), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			g := newPlaza(size.entities, Config{Budget: 2 * netsys.MaxPayload}, nil)
			for n := range size.clients {
				p := g.join(uint32(2 + 8*n/size.clients))
				p.lost = func() bool { return r.IntN(50) == 0 }
			}
			for range 100 {
				g.run(3, nil)
				g.shake(r, g.all)
			}
			before := g.s.Stats()
			for b.Loop() {
				b.StopTimer()
				g.run(2, nil)
				g.shake(r, g.all)
				b.StartTimer()
				g.run(1, nil)
			}
			after := g.s.Stats()
			sends := float64(after.Sends - before.Sends)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/sends/float64(size.clients), "ns/client")
			b.ReportMetric(float64(after.Encodes.Blocks-before.Encodes.Blocks)/sends, "blocks/send")
			b.ReportMetric(float64(after.Encodes.Reused-before.Encodes.Reused)/sends/float64(size.clients), "shared/client")
			b.ReportMetric(float64(after.OverBudget-before.OverBudget)/float64(after.Updates-before.Updates), "over")
		})
	}
}

// A group that fits into no datagram is sent in parts, the longest-waiting entities first. A part does not count as the whole
// group.
func TestTurnsOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	g := newPlaza(60, Config{}, nil)
	p := g.join(3)
	g.run(150, nil)
	g.s.SetBudget(p.c, MinBudget)
	var last [60]uint32
	before, sends, longest, parts := g.s.Stats(), uint32(0), uint32(0), uint64(0)
	for range 3 * 200 {
		g.shake(r, g.all)
		for _, e := range g.all {
			*ecs.Get[tint](g.w, e) = tint{Color: uint8(r.IntN(200))}
		}
		g.run(1, func(_ *peer, packets []Packet) {
			sends++
			left := uint64(1<<len(last) - 1)
			for i := range packets {
				for _, b := range packets[i].Holds {
					left &^= b.Slots
				}
			}
			for k := range last {
				if left>>k&1 == 0 {
					last[k] = sends
				}
				longest = max(longest, sends-last[k])
			}
			if left != 0 {
				parts++
			}
		})
	}
	if over := g.s.Stats().OverBudget - before.OverBudget; over != parts || parts < 100 || longest > 3 {
		t.Errorf("of %d snapshots %d told a part, and %d are counted; an entity waits for %d sends", sends, parts, over, longest)
	}
}

// cargo is long.
type cargo struct {
	A, B int64 `net:"raw"`
}

// A group that fits into no datagram is sent in parts and therefore has many baselines. If the rest fits except for the heads
// of its blocks, it is sent in part too, and no snapshot is empty.
func TestTurnsTellInPartWhatHasManyBlocks(t *testing.T) {
	testgame.Seeds(t, 4, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 19))
		g := newPlaza(64, Config{Protocol: testgame.Grounds(func(p *ecs.Protocol) { ecs.Replicate[cargo](p, 0) }), Budget: MinBudget}, unveiled())
		for range 4 {
			g.join(uint32(1 + r.IntN(9)))
		}
		g.run(600, nil)
		for _, e := range g.all {
			ecs.Add(g.w, e, cargo{int64(r.Uint64()), int64(r.Uint64())})
		}
		for range 60 {
			g.run(3, func(p *peer, packets []Packet) {
				if len(packets[0].Holds) == 0 && p.c.over {
					t.Errorf("tick %d: a snapshot to client %d is empty, though it does not hold all", g.tick, p.c.id)
				}
			})
		}
	})
}
