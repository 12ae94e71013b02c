package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// splitField is a field whose snapshots take several datagrams: entities drift at
// a constant speed, and beside each stands one that moves by chance.
func splitField(clients int) systemstest.Config {
	config := onField(1, clients, lag(4))
	config.Populate = func(w *ecs.World) {
		for i := range 600 {
			w.Spawn(components.Position{X: float32(i % 40)}, Drift{Number: int32(i)})
		}
	}
	config.Protocol = func() *ecs.Protocol {
		p := fieldBase()
		p.Simulate("walk", walk)
		p.Simulate("move", func(w *ecs.World) {
			for e, d := range ecs.Each[drifter](w) {
				if d.Do.Number%2 == 0 {
					d.Pos.X += inputLimit
					continue
				}
				r := w.Rand(e)
				d.Pos.X, d.Pos.Y = 100*r.Float32(), 100*r.Float32()
			}
		})
		return p
	}
	return config
}

// Of a snapshot in several datagrams, one of which is lost, a client uses what
// came: the entities that it names have the new state, all others keep theirs.
func TestNetcodeE2_OmittedEntitiesKeepTheirState(t *testing.T) {
	c := systemstest.New(t, splitField(1))
	ts := watchTruth(c)
	c.Connect()
	c.Run(2 * time.Second)
	k := c.Clients[0]
	lost := 0
	first := firstOfSnapshot()
	n := 0 // datagrams of this snapshot
	c.Lose(func(p systemstest.Packet) bool {
		if p.Up {
			return false
		}
		if n++; first(p) {
			n = 1
		}
		if n == 2 && lost < 1 {
			lost++
			return true
		}
		return false
	})
	before := places(k.World())
	tick := k.ServerTick()
	if !c.RunUntil(time.Second, func() bool { return k.ServerTick() > tick }) || lost != 1 {
		t.Fatalf("%d datagrams lost; snapshots should take several", lost)
	}
	now := k.ServerTick()
	mine, _ := k.Own(k.World())
	kept, moved, own := 0, 0, k.World().NetID(mine)
	for id, p := range places(k.World()) {
		switch {
		case id == own:
		case apart(p, ts.at[now].places[id]) <= tolerance:
			moved++
		case p == before[id]:
			kept++
		default:
			t.Fatalf("entity %d stands at %v: neither where it was, %v, nor where the server has it, %v", id, p, before[id], ts.at[now].places[id])
		}
	}
	if kept < 50 || moved < 50 {
		t.Errorf("%d entities kept their state, %d have the new one", kept, moved)
	}
	c.Settle()
	c.Converged()
}

func apart(a, b components.Position) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y))
}

// They keep their last confirmed tick as well: what moves evenly is drawn on its
// line, at the tick that is drawn, through all that is lost.
func TestNetcodeE2_OmittedEntitiesKeepTheirTick(t *testing.T) {
	config := splitField(2)
	config.Server.Channels.MinRate = 128 << 10 // losses of this path are no reason to send less
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(3 * time.Second)
	r := ecs.NewRand(7, 7)
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && r.Float64() < 0.3 })
	c.Run(12 * time.Second) // until the delay covers the loss
	c.Mark()

	// The place of an even drifter is its first one and pace for every tick.
	compared := 0
	c.OnFrame(func(k *systemstest.Client) {
		for id, p := range places(k.View()) {
			if id > 600 || id%2 == 0 { // a player, or one that moves by chance
				continue
			}
			compared++
			want := float64((id-1)%40) + inputLimit*k.DrawnTick()
			if off := math.Abs(float64(p.X) - want); off > tolerance {
				t.Fatalf("%v draws tick %.2f: entity %d at X %.3f, on its line it is at %.3f", k, k.DrawnTick(), id, p.X, want)
			}
		}
	})
	c.Run(3 * time.Second)
	if compared < 50_000 {
		t.Errorf("%d places compared", compared)
	}
	for _, k := range c.Clients {
		if k.Stats().Renewals != 0 {
			t.Errorf("%v asked for full states %d times: losses are no reason", k, k.Stats().Renewals)
		}
	}
	c.Lose(nil)
	c.Settle()
	c.Converged()
}
