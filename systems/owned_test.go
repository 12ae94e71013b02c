package systems

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// A client may own more entities than a packet holds. No packet is too long for the wire, the owner state of every entity
// arrives, and all wrong predictions are corrected.
func TestMoreOwnEntitiesThanAPacketHolds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 10))
	// An entity that does not fit behind the owner state must wait for another snapshot.
	type wide struct {
		V [24]uint32 `net:"raw"`
	}
	g := newGame(t, func() *ecs.Protocol {
		p := plaza()
		ecs.Replicate[wide](p, 0)
		return p
	}, ServerConfig{})
	first := g.server.World().Spawn(wide{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	somewhere := func() place { return place{r.Float32()*900 - 450, r.Float32()*900 - 450} }
	w := g.server.World()
	var all []ecs.Entity
	for n := range 180 {
		for k := range 24 {
			ecs.Get[wide](w, first).V[k] = r.Uint32()
		}
		all = append(all, w.Spawn(components.Owner{Client: c.ID()}, somewhere(), shots{uint16(r.Uint32())}, tint{uint8(n % 200)}, push{}))
		g.run(3) // a send with each number of them
		if s := g.server.Stats(); s.SendErrors > 0 {
			t.Fatalf("%d packets with %d entities were refused by the wire", s.SendErrors, n+1)
		}
	}
	for _, e := range all {
		*ecs.Get[place](w, e) = somewhere()
	}
	before := c.Stats().Corrections
	g.mustConverge()
	if c.Stats().Corrections == before {
		t.Error("nothing was put right")
	}
}

// A client predicts exactly the entities that it owns now. A component that is added later starts with the server's value.
func TestOwnerChanges(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{})
	a := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	b := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	w := g.server.World()
	e := w.Spawn(components.Owner{}, place{X: 5}, push{})
	id := w.NetID(e)
	for _, owner := range []uint32{0, a.ID(), b.ID(), 77, b.ID(), a.ID(), 0} {
		ecs.Get[components.Owner](w, e).Client = owner
		g.run(60)
		for _, c := range []*Client{a, b} {
			for name, world := range map[string]*ecs.World{"world": c.World(), "view": c.View()} {
				there, ok := world.ByNetID(id)
				if !ok || ecs.Has[components.Predicted](world, there) != (owner == c.ID()) || ecs.Get[components.Owner](world, there).Client != owner {
					t.Errorf("owned by %d: the %s of client %d disagrees (has it: %v)", owner, name, c.ID(), ok)
				}
			}
		}
		if err := g.converged(); err != nil {
			t.Errorf("owned by %d: %v", owner, err)
		}
	}
	ecs.Get[components.Owner](w, e).Client = a.ID()
	g.run(60)
	before := a.Stats().Corrections
	ecs.Add(w, e, shots{1234})
	for range 60 {
		g.step()
		there, _ := a.World().ByNetID(id)
		if s := ecs.Get[shots](a.World(), there); s != nil && s.Count < 1234 {
			t.Fatalf("a component that just came holds %d", s.Count)
		}
	}
	if n := a.Stats().Corrections - before; n > 0 {
		t.Errorf("a component that just came was corrected %d times", n)
	}
	g.mustConverge()
}
