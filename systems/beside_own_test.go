package systems

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// Components that change altogether in each tick: of the own entity, and of others.
type (
	ownMemory struct {
		Words [30]uint32 `net:"raw"`
	}
	otherMemory struct {
		Words [24]uint32 `net:"raw"`
	}
)

// Where the own entity and another one do not fit one snapshot together, they take turns: neither waits
// for ever beside the other.
func TestOthersHaveTheirTurnBesideOwnState(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := plazaParts("beside/1")
		ecs.Input[push](p)
		ecs.Replicate[ownMemory](p, ecs.Predicted)
		ecs.Replicate[otherMemory](p, 0)
		p.Simulate("own", func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ M *ownMemory }](w) {
				draw := w.Rand(e)
				for i := range r.M.Words {
					r.M.Words[i] = uint32(draw.IntN(1 << 31))
				}
			}
		})
		p.Authority("others", func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ M *otherMemory }](w) {
				draw := w.Rand(e)
				for i := range r.M.Words {
					r.M.Words[i] = uint32(draw.IntN(1 << 31))
				}
			}
		})
		return p
	}
	g := newGame(t, protocol, ServerConfig{Budget: 200, Join: func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, place{}, push{}, ownMemory{})
	}})
	other := g.server.World().Spawn(place{X: 9}, otherMemory{})
	id := g.server.World().NetID(other)
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.until("the client has joined", func() bool { _, ok := c.Loaded(); return ok })
	g.run(60)
	before := c.Stats()
	told, last := 0, uint32(0)
	for range 600 {
		g.step()
		if tick, ok := c.StateTick(id); ok && tick != last {
			last = tick
			told++
		}
	}
	if own := c.Stats().Confirmed - before.Confirmed; told < 40 || own < 80 {
		t.Errorf("in 200 snapshots the other entity was told of %d times, the own one %d times", told, own)
	}
}
