package snapshot

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Entities move while a client receives the kept state of its join: first entities that the client has not
// received, then entities that it has received. No datagram contains an old slot before the client has the entity in the new one, unless it contains both.
func TestMovesDuringAJoin(t *testing.T) {
	g := newPlaza(300, Config{Budget: 300}, nil)
	for range 40 { // where they move to
		g.all = append(g.all, g.w.Spawn(place{}))
	}
	p := g.join(6)
	r := rand.New(rand.NewPCG(1, 1))
	type standing struct{ group, slot int }
	from := map[components.NetID]standing{}
	move := func(some []ecs.Entity) {
		for _, e := range some {
			id := g.w.NetID(e)
			group, slot, _ := g.s.frames.Slot(id)
			from[id] = standing{group, slot}
			ecs.Remove[tint](g.w, e)
		}
	}
	tells := func(q *Packet, at standing) bool {
		for _, b := range q.Holds {
			if !b.Own && b.Chunk < 0 && uint32(at.group)-b.First < uint32(b.Count) && b.Slots>>at.slot&1 != 0 {
				return true
			}
		}
		return false
	}
	held, streamed := 0, false
	look := func(_ *peer, packets []Packet) {
		streamed = streamed || p.c.join.state == joinStream && len(from) == 20
		for id, old := range from {
			group, slot, ok := g.s.frames.Slot(id)
			now := standing{group, slot}
			if !ok || now == old {
				continue
			}
			if p.c.holds(now.group, now.slot, g.s.frames.Moves(now.group).Since(now.slot)) {
				delete(from, id)
				held++
				continue
			}
			for i := range packets {
				if tells(&packets[i], old) && !tells(&packets[i], now) {
					t.Errorf("send %d tells of the old slot of entity %d, which the client does not hold elsewhere", g.s.sends.newest, id)
				}
			}
		}
	}
	for tick := range 600 {
		switch tick {
		case 3:
			move(g.all[150:160])
		case 6:
			move(g.all[:10])
		}
		for n, e := range g.all {
			if tick == 0 || n%4 == 0 {
				*ecs.Get[place](g.w, e) = place{X: 500 * r.Float32(), Y: 500 * r.Float32()}
			}
		}
		g.run(1, look)
	}
	if p.c.Joining() || !streamed || held < 20 {
		t.Errorf("joining: %v, with a state that streamed: %v; the client holds %d moved entities", p.c.Joining(), streamed, held)
	}
}
