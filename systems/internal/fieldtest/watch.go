package fieldtest

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Journal is a resource in which MoveWalkers records its steps.
type Journal struct{ Steps []Step }

// Step is the step of one entity.
type Step struct {
	Tick  uint32
	ID    components.NetID
	Owner uint32
	In    Walk
}

// KeepJournal makes a world record its steps from now on.
func KeepJournal(w *ecs.World) *Journal {
	j := ecs.Resource[Journal](w)
	if j == nil {
		j = &Journal{}
		ecs.SetResource(w, j)
	}
	return j
}

// ForOwner returns the steps of one owner's entities.
func (j *Journal) ForOwner(owner uint32) (steps []Step) {
	for _, s := range j.Steps {
		if s.Owner == owner {
			steps = append(steps, s)
		}
	}
	return steps
}

// Last returns the input with which each tick of one owner was last simulated.
func (j *Journal) Last(owner uint32) map[uint32]Walk {
	in := map[uint32]Walk{}
	for _, s := range j.Steps {
		if s.Owner == owner {
			in[s.Tick] = s.In
		}
	}
	return in
}

// Truths has the state of the server's world after each tick, by the number of completed ticks.
type Truths struct {
	At map[uint32]*truth
}

// truth is the state of the server's world after one tick.
type truth struct {
	Places map[components.NetID]components.Position
	Inputs []uint32 // last input consumed, by the client's number in the crowd
	Hash   uint64
}

// WatchServer records the server's world after each tick from now on.
func WatchServer(c *systemstest.Crowd) *Truths {
	ts := &Truths{At: make(map[uint32]*truth)}
	c.OnServerTick(func() {
		tr := &truth{Places: Positions(c.Server.World()), Hash: c.Server.World().Hash()}
		for _, k := range c.Clients {
			tr.Inputs = append(tr.Inputs, k.Status().LastInput)
		}
		ts.At[c.Server.Tick()] = tr
	})
	return ts
}

// Picture is what a client drew in a frame.
type Picture struct {
	At     time.Duration
	Tick   float64 // drawn
	input  uint32
	Others map[components.NetID]components.Position // all but its own
}

// WatchFrames calls see with each frame of a client and the frame before it.
func WatchFrames(c *systemstest.Crowd, see func(k *systemstest.Client, was, now Picture)) {
	last := map[*systemstest.Client]Picture{}
	c.OnFrame(func(k *systemstest.Client) {
		was, known := last[k]
		now := Picture{c.Elapsed(), k.DrawnTick(), k.Input(), Positions(k.View())}
		delete(now.Others, k.View().NetID(DrawnOwn(k)))
		if last[k] = now; known {
			see(k, was, now)
		}
	})
}

// LoseSnapshots drops all datagrams from the server for a duration.
func LoseSnapshots(c *systemstest.Crowd, d time.Duration) {
	c.Lose(func(p systemstest.Packet) bool { return !p.Up })
	c.Run(d)
	c.Lose(nil)
}

// Positions returns the position of every entity in a world.
func Positions(w *ecs.World) map[components.NetID]components.Position {
	type standing struct{ Pos components.Position }
	m := make(map[components.NetID]components.Position)
	for e, r := range ecs.All[standing](w) {
		m[w.NetID(e)] = r.Pos
	}
	return m
}

// Position returns the position of an entity.
func Position(w *ecs.World, e ecs.Entity) components.Position {
	if p := ecs.Get[components.Position](w, e); p != nil {
		return *p
	}
	return components.Position{}
}

// OwnOnServer returns a client's entity in the server's world.
func OwnOnServer(c *systemstest.Crowd, k *systemstest.Client) ecs.Entity {
	type owned struct{ Owner components.Owner }
	for e, r := range ecs.All[owned](c.Server.World()) {
		if r.Owner.Client == k.ID() {
			return e
		}
	}
	return ecs.Entity{}
}

// ClientByID returns the client with a number, or nil.
func ClientByID(c *systemstest.Crowd, id uint32) *systemstest.Client {
	for _, k := range c.Clients {
		if k.ID() == id {
			return k
		}
	}
	return nil
}

// Near reports whether two positions count as equal.
func Near(a, b components.Position) bool {
	const rounding = 1e-3 // of float32 at the field's coordinates
	dx, dy := a.X-b.X, a.Y-b.Y
	return max(dx, -dx, dy, -dy) <= Tolerance+rounding
}

// OwnEntity returns a client's own entity in its world.
func OwnEntity(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.World())
	return e
}

// DrawnOwn returns a client's own entity in its view.
func DrawnOwn(k *systemstest.Client) ecs.Entity {
	e, _ := k.Own(k.View())
	return e
}

// Distance returns the distance between two positions.
func Distance(a, b components.Position) float64 {
	return math.Hypot(float64(a.X)-float64(b.X), float64(a.Y)-float64(b.Y))
}

// Snapped returns a position rounded as it travels to clients that do not own it.
func Snapped(w *ecs.World, p components.Position) components.Position {
	ecs.ComponentOf[components.Position](w.Protocol()).Schema.Snap(unsafe.Pointer(&p))
	return p
}

// WatchOwnerBits fails the test if a client's prediction differs in any bit from the server's result for the same input,
// at ticks for which f returns true. It counts the comparisons.
func WatchOwnerBits(t *testing.T, c *systemstest.Crowd, f func(tick uint32) bool) (compared *int) {
	predicted := make([]map[uint32]components.Position, len(c.Clients))
	for n := range predicted {
		predicted[n] = map[uint32]components.Position{}
	}
	compared = new(int)
	c.OnClientTick(func(k *systemstest.Client) {
		predicted[k.N][k.Input()] = Position(k.World(), OwnEntity(k))
	})
	c.OnServerTick(func() {
		if !f(c.Server.Tick()) {
			return
		}
		for _, k := range c.Clients {
			p, ok := predicted[k.N][k.Status().LastInput]
			if want := Position(c.Server.World(), OwnOnServer(c, k)); ok && p != want {
				t.Fatalf("%v predicted %v after input %d, the server came to %v", k, p, k.Status().LastInput, want)
			} else if ok {
				*compared++
			}
		}
	})
	return compared
}

// ErrorLeft returns what remains of a visual error of the given size after a time, with the default smoothing.
func ErrorLeft(size, seconds float64) float64 {
	e := math.Exp(-20 * seconds)
	return size * e / (1 + size/3*(1-e))
}

// FirstOfSnapshot returns a function that reports whether a packet is the first datagram of a snapshot. The link must have
// no jitter, so that all datagrams of a snapshot arrive at the same time.
func FirstOfSnapshot() func(p systemstest.Packet) bool {
	var at time.Time
	return func(p systemstest.Packet) bool {
		fresh := !p.At.Equal(at)
		at = p.At
		return fresh
	}
}

// Shake moves entities without an owner at random, so that snapshots are large.
func Shake(w *ecs.World) {
	type shaken struct {
		Pos *components.Position
		_   ecs.Without[components.Owner]
	}
	for e, s := range ecs.Each[shaken](w) {
		r := w.Rand(e)
		s.Pos.X, s.Pos.Y = 100*r.Float32(), 100*r.Float32()
	}
}

// MustBeInOrder fails the test unless each step used the input after that of the step before, in a later tick.
func MustBeInOrder(t *testing.T, steps []Step) {
	t.Helper()
	for i := 1; i < len(steps); i++ {
		if a, b := steps[i-1], steps[i]; b.Tick <= a.Tick || b.In.N != a.In.N+1 {
			t.Fatalf("client %d: tick %d consumed input %d after tick %d with input %d", b.Owner, b.Tick, b.In.N, a.Tick, a.In.N)
		}
	}
}
