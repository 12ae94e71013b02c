package systems

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// hall is the hall of an entity.
type hall struct {
	Number uint8 `net:"0..9"`
}

// trail is a position that is sent as a line.
type trail struct {
	X float32 `net:"-4096..4096 step 0.01 axis x lines 0.03"`
	Y float32 `net:"-4096..4096 step 0.01 axis y lines 0.03"`
}

// halls returns the protocol: player n joins in hall n modulo 2.
func halls() *ecs.Protocol {
	p := plazaParts("halls/1")
	ecs.Replicate[hall](p, 0)
	ecs.Replicate[trail](p, 0)
	ecs.Input[push](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{X: 200 * float32(client%2)}, hall{uint8(client % 2)}, push{})
	})
	return p
}

// interests returns interests that use halls or distances.
func interests() map[string]Interest {
	grid := &Grid[place]{Cell: 40, Radius: 60, Leave: 75}
	return map[string]Interest{"grid": grid, "halls": Same[hall](), "both": And(Same[hall](), grid), "either": Or(Same[hall](), &Grid[place]{Cell: 30, Radius: 20}), "listed": And(HiddenUnless(grid, Has[shots]()), Same[hall]())}
}

// A client receives the same bytes from two worlds that differ only in entities that it may not see: their existence, number,
// movement and visibility to others.
func TestHiddenSendsNothing(t *testing.T) {
	t.Parallel()
	for name, of := range interests() {
		if name == "either" {
			continue // who is near is in sight there
		}
		t.Run(name, func(t *testing.T) {
			seeds(t, 6, func(t *testing.T, seed uint64) {
				alone, crowded := whatItHears(t, seed, of, false), whatItHears(t, seed, of, true)
				if len(alone) < 50 {
					t.Fatalf("%d messages", len(alone))
				}
				for i := range alone {
					if i >= len(crowded) || !bytes.Equal(alone[i], crowded[i]) {
						t.Fatalf("message %d of %d is\n%x\nand with hidden company\n%x", i, len(alone), alone[i], crowded[min(i, len(crowded)-1)])
					}
				}
			})
		})
	}
}

// whatItHears returns the messages of the server to the first client. If company is true, there are entities in the other
// hall, which is far away.
func whatItHears(t *testing.T, seed uint64, of Interest, company bool) (heard [][]byte) {
	shown, hidden := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	config := ServerConfig{Seed: seed, Snapshots: Snapshots{Interest: of}}
	if seed%2 == 1 {
		config.Snapshots.Budget = 260
	}
	g := newGame(t, halls, config)
	g.blind = true
	w := g.server.World()
	link := netsys.Link{Latency: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: float64(seed%3) * 0.05}
	g.overhear(func(client uint32, b []byte) {
		if client == 1 {
			heard = append(heard, bytes.Clone(b))
		}
	})
	// Client 1 is in hall 1 at x = 200, and so is what it may know; client 2 in hall 0, at 0.
	near := func() place { return place{X: 200 + shown.Float32()*80 - 40, Y: shown.Float32()*80 - 40} }
	far := func() place { return place{X: hidden.Float32()*200 - 150, Y: hidden.Float32()*400 - 200} }
	var seen, unseen []ecs.Entity
	come := func(at place, n uint8, r *rand.Rand) ecs.Entity {
		e := w.Spawn(at, tint{uint8(r.IntN(200))}, hall{n})
		if r.IntN(3) == 0 {
			ecs.Add(w, e, shots{})
		}
		ecs.Add(w, e, trail{})
		return e
	}
	// NetIDs are given in the order of spawns, and tell how many there were: what does not come dies at once.
	lurk := func() {
		e := come(far(), 0, hidden)
		if company {
			unseen = append(unseen, e)
		} else {
			w.Despawn(e)
		}
	}
	walk := func(list []ecs.Entity, r *rand.Rand, low, high float32) {
		for _, e := range list {
			at := ecs.Get[place](w, e)
			at.X = min(max(at.X+r.Float32()*3-1.5, low), high)
			at.Y += r.Float32()*3 - 1.5
			if t := ecs.Get[trail](w, e); t != nil { // at a few paces, nearly
				pace := float32(1+r.IntN(3)/2) / 8
				t.X += pace + (r.Float32()-0.5)/4096
				t.Y -= pace + (r.Float32()-0.5)/4096
			}
		}
	}
	for range 100 {
		seen = append(seen, come(near(), 1, shown))
		lurk()
	}
	g.join(ClientConfig{Gather: gatherPush()}, link)
	g.join(ClientConfig{Gather: gatherPush()}, link)
	// stand puts client 1 somewhere else.
	stand := func(x float32, n uint8) {
		for _, r := range ecs.Each[struct {
			Owner *components.Owner
			At    *place
			In    *hall
		}](w) {
			if r.Owner.Client == 1 {
				r.At.X, r.In.Number = x, n
			}
		}
	}
	for n := range 300 {
		switch n {
		case 100: // where nobody is: others walk on, and move into groups that hidden ones have left
			stand(400, 5)
		case 200:
			stand(200, 1)
		}
		walk(seen, shown, 150, 250)
		walk(unseen, hidden, -200, 60)
		switch n % 5 {
		case 0:
			lurk()
			seen = append(seen, come(near(), 1, shown))
		case 1:
			w.Despawn(seen[0])
			seen = seen[1:]
		case 2:
			for range len(unseen) / 40 {
				i := hidden.IntN(len(unseen))
				w.Despawn(unseen[i])
				unseen = append(unseen[:i], unseen[i+1:]...)
			}
		}
		g.step()
	}
	if company {
		if k, ok := g.server.Knowledge(1, w.NetID(unseen[0])); !ok || !k.Exists || !k.Hidden {
			t.Fatalf("it is not hidden: %+v", k)
		}
	}
	return heard
}
