package snapshot

import (
	"bytes"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// A hundred clients with the same acknowledgements need one encode a send, and with
// round trips from 20 to 200 ms at most eight.
func TestOneEncodeServesAll(t *testing.T) {
	const clients = 100
	for _, spread := range []uint32{0, 11} {
		g := newPlaza(70, Config{}, nil)
		for n := range uint32(clients) {
			g.join(1 + spread*n/clients)
		}
		g.run(120, nil)
		before := g.s.Stats()
		for n := range 150 {
			g.move(n)
			g.run(1, nil)
		}
		after := g.s.Stats()
		sends := after.Sends - before.Sends
		blocks, entities := after.Encodes.Blocks-before.Encodes.Blocks, after.Encodes.Entities-before.Encodes.Entities
		most := uint64(1)
		if spread > 0 {
			most = 8
		}
		if sends != 50 || blocks > most*sends || entities != blocks*70 {
			t.Errorf("round trips over %d ticks: %d blocks of %d entities were encoded in %d sends", spread, blocks, entities, sends)
		}
		if reused := after.Encodes.Reused - before.Encodes.Reused; reused+blocks != clients*sends {
			t.Errorf("%d blocks were reused", reused)
		}
		if own := after.Encodes.Own - before.Encodes.Own; own != 0 {
			t.Errorf("%d blocks of own state for spectators", own)
		}
	}
}

// The usual snapshot is one datagram with a header of 5 bytes, and five bytes more in every
// fourth.
func TestHeadersAreSmall(t *testing.T) {
	g := newPlaza(200, Config{}, nil)
	p := g.join(6)
	g.w.Spawn(components.Owner{Client: p.c.id}, place{})
	g.run(120, nil)
	before := g.s.Stats().Traffic
	g.run(3*400, nil)
	st := g.s.Stats().Traffic
	if n := st.Datagrams - before.Datagrams; n != 400 {
		t.Fatalf("%d datagrams", n)
	}
	if n := st.Headers - before.Headers; n != 400*5+100*5 {
		t.Errorf("%d bytes of headers in 400 snapshots", n)
	}
}

// Clients that join together share the kept state and its encoding. A client that leaves meanwhile releases it.
func TestJoinersShare(t *testing.T) {
	g := newPlaza(1500, Config{Budget: 600}, nil)
	g.run(30, nil)
	for range 8 {
		g.join(6)
	}
	g.run(6, nil)
	if n := g.s.Stats().Joins; n == 0 || n > 2 {
		t.Errorf("%d states are kept for 8 clients that came together", n)
	}
	g.s.Remove(g.peers[0].c)
	g.peers = g.peers[1:]
	g.run(240, nil)
	if n := g.s.Stats().Joins; n != 0 {
		t.Errorf("%d states are kept for nobody", n)
	}
	for _, p := range g.peers {
		if p.c.Joining() {
			t.Errorf("client %d never joined", p.c.id)
		}
	}
}

// An entity that becomes hidden while a kept state streams is not sent any more: its value changes no later byte. Two clients share
// the kept state, and the entity came into their sight at different sends.
func TestHiddenStateIsNotStreamed(t *testing.T) {
	stream := func(color uint8, hide bool) (sent []byte) {
		g := newPlaza(1500, Config{Budget: 600}, unveiled())
		last := g.w.Spawn(place{X: 1}, tint{Color: color})
		first := g.join(6)
		g.run(600, nil)
		second := g.join(6)
		first.c.Ask(1, 0)
		g.run(6, nil)
		a, b := first.c.join.stream, second.c.join.stream
		if a == nil || b == nil || a.kept != b.kept || a.sent[len(a.sent)-1].at != 0 || first.c.view.find(5).since == second.c.view.find(5).since {
			t.Fatal("the clients do not wait for the last piece of a kept state that they share")
		}
		if hide {
			ecs.Add(g.w, last, testgame.Veil{})
		}
		g.run(300, func(_ *peer, packets []Packet) {
			for _, p := range packets {
				sent = append(sent, p.Bytes...)
			}
		})
		if first.c.Joining() || second.c.Joining() {
			t.Fatal("a client never joined")
		}
		return sent
	}
	if !bytes.Equal(stream(3, true), stream(4, true)) {
		t.Error("a hidden value changes what clients are sent")
	}
	if bytes.Equal(stream(3, false), stream(4, false)) {
		t.Error("a value in sight does not change what clients are sent: nothing is proven")
	}
}

// Clients with a round trip of four seconds join once, and then receive differences, at any send rate, and if snapshots need several
// datagrams.
func TestRoundTripOfFourSeconds(t *testing.T) {
	for _, rate := range []int{20, 60} {
		for _, entities := range []int{20, 900} {
			g := newPlaza(entities, Config{SendRate: rate, Budget: 1 << 14}, nil)
			p := g.join(240)
			for range 3 * 240 {
				g.move(int(g.tick))
				g.run(1, nil)
			}
			h, newest := &p.c.held, g.s.sends.newest
			if p.c.Joining() || p.c.join.at > 1 || newest-h.whole > uint32(4*rate+3) {
				t.Errorf("%d sends a second of %d entities: joining %v since send %d, holds send %d of %d", rate, entities, p.c.Joining(), p.c.join.at, h.whole, newest)
			}
		}
	}
}

// No datagram exceeds the wire's maximum, no snapshot its budget, and every entity gets its turn. Hidden entities are in no
// block.
func TestSnapshotsKeepToTheirBounds(t *testing.T) {
	const secret = 7 // one of so many is hidden
	for _, budget := range []int{MinBudget, 500, 2400} {
		g := newPlaza(150, Config{Budget: budget}, unveiled())
		for n := 0; n < len(g.all); n += secret {
			ecs.Add(g.w, g.all[n], testgame.Veil{})
		}
		p := g.join(4)
		g.run(600, nil)
		if p.c.Joining() {
			t.Fatalf("budget %d: the client never joined", budget)
		}
		told := map[uint32]uint64{}
		for range 240 {
			for k := range g.all {
				g.move(k)
			}
			g.run(1, func(p *peer, packets []Packet) {
				total := 0
				for _, q := range packets {
					total += len(q.Bytes)
					if len(q.Bytes) > netsys.MaxPayload {
						t.Errorf("budget %d: a datagram of %d bytes", budget, len(q.Bytes))
					}
				}
				g.told(p, func(group, slot int) { told[uint32(group)] |= 1 << slot })
				if total > budget {
					t.Errorf("budget %d: a snapshot of %d bytes", budget, total)
				}
			})
		}
		f := g.s.Newest()
		for i := range f.Groups {
			for k := range 64 {
				alive := f.Groups[i].Alive>>k&1 != 0
				if is := told[uint32(i)]>>k&1 != 0; alive && is == ecs.Has[testgame.Veil](g.w, f.Entity(i, k)) {
					t.Errorf("budget %d: slot %d of group %d, told %v", budget, k, i, is)
				}
			}
		}
	}
}
