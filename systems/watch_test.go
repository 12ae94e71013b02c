package systems_test

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// journal is a resource in which walk notes what it did, by peer.
type journal struct{ steps []step }

// step is one entity's step.
type step struct {
	tick  uint32
	id    components.NetID
	owner uint32
	in    Walk
}

// journalOf makes a world keep a journal from now on, and returns it.
func journalOf(w *ecs.World) *journal {
	j := ecs.Resource[journal](w)
	if j == nil {
		j = &journal{}
		ecs.SetResource(w, j)
	}
	return j
}

// of returns the steps that a journal has of one owner's entities.
func (j *journal) of(owner uint32) (steps []step) {
	for _, s := range j.steps {
		if s.owner == owner {
			steps = append(steps, s)
		}
	}
	return steps
}

// last is what each tick was simulated with in the end, of one owner.
func (j *journal) last(owner uint32) map[uint32]Walk {
	in := map[uint32]Walk{}
	for _, s := range j.steps {
		if s.owner == owner {
			in[s.tick] = s.in
		}
	}
	return in
}

// truths is what the server's world was after each tick, by the number of ticks
// completed.
type truths struct {
	at map[uint32]*truth
}

// truth is the server's world after one tick.
type truth struct {
	places map[components.NetID]components.Position
	inputs []uint32 // last input consumed, by the client's number in the crowd
	hash   uint64
}

// watchTruth keeps what the server's world is after each tick from now on.
func watchTruth(c *systemstest.Crowd) *truths {
	ts := &truths{at: make(map[uint32]*truth)}
	c.OnServerTick(func() {
		tr := &truth{places: places(c.Server.World()), hash: c.Server.World().Hash()}
		for _, k := range c.Clients {
			tr.inputs = append(tr.inputs, k.Status().LastInput)
		}
		ts.at[c.Server.Tick()] = tr
	})
	return ts
}

// picture is what a client drew in a frame.
type picture struct {
	at     time.Duration
	tick   float64 // drawn
	input  uint32
	others map[components.NetID]components.Position // all but its own
}

// watchFrames shows each frame of a client with the one before it.
func watchFrames(c *systemstest.Crowd, see func(k *systemstest.Client, was, now picture)) {
	last := map[*systemstest.Client]picture{}
	c.OnFrame(func(k *systemstest.Client) {
		was, known := last[k]
		now := picture{c.Elapsed(), k.DrawnTick(), k.Input(), places(k.View())}
		delete(now.others, k.View().NetID(drawnOwn(k)))
		if last[k] = now; known {
			see(k, was, now)
		}
	})
}

// outage loses all snapshots for so long.
func outage(c *systemstest.Crowd, d time.Duration) {
	c.Lose(func(p systemstest.Packet) bool { return !p.Up })
	c.Run(d)
	c.Lose(nil)
}

// places is where everything stands in a world.
func places(w *ecs.World) map[components.NetID]components.Position {
	type standing struct{ Pos components.Position }
	m := make(map[components.NetID]components.Position)
	for e, r := range ecs.All[standing](w) {
		m[w.NetID(e)] = r.Pos
	}
	return m
}

// place is where an entity stands in a world.
func place(w *ecs.World, e ecs.Entity) components.Position {
	if p := ecs.Get[components.Position](w, e); p != nil {
		return *p
	}
	return components.Position{}
}

// own is the server's entity of a client.
func own(c *systemstest.Crowd, k *systemstest.Client) ecs.Entity {
	type owned struct{ Owner components.Owner }
	for e, r := range ecs.All[owned](c.Server.World()) {
		if r.Owner.Client == k.ID() {
			return e
		}
	}
	return ecs.Entity{}
}

// client is the client that the server gave a number.
func client(c *systemstest.Crowd, id uint32) *systemstest.Client {
	for _, k := range c.Clients {
		if k.ID() == id {
			return k
		}
	}
	return nil
}

// near reports whether two places count as the same.
func near(a, b components.Position) bool {
	const rounding = 1e-3 // of float32 at the field's coordinates
	dx, dy := a.X-b.X, a.Y-b.Y
	return max(dx, -dx, dy, -dy) <= tolerance+rounding
}

// ownOf is a client's own entity in its world.
func ownOf(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.World())
	return e
}

// drawnOwn is a client's own entity in its view.
func drawnOwn(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.View())
	return e
}

// apart is how far two places are from each other.
func apart(a, b components.Position) float64 {
	return math.Hypot(float64(a.X)-float64(b.X), float64(a.Y)-float64(b.Y))
}
