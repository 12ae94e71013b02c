package systems

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// beat contains the step of an entity's state. fuse contains the same step, and only some clients may see it.
type beat struct {
	Step uint16 `net:"0..65535"`
}

type fuse struct {
	Step uint16 `net:"0..65535"`
}

// mines returns the protocol: players of two teams among mines.
func mines() *ecs.Protocol {
	p := halls()
	ecs.Replicate[beat](p, 0)
	ecs.Replicate[fuse](p, 0)
	return p
}

// A client receives the same bytes from two worlds that differ only in components that it may not see: their values, their
// presence, their changes and who else sees them.
func TestHiddenComponentsSendNothing(t *testing.T) {
	t.Parallel()
	crew := Filter(func(me struct{ Hall *hall }, it struct{ Hall *hall }) bool { return *me.Hall == *it.Hall })
	for name, config := range map[string]ServerConfig{
		"team":   {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](Same[hall]())}}},
		"filter": {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](crew)}}},
		"two":    {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](Same[hall]()), Only[trail](And(Same[hall](), crew))}}},
		"by itself": {
			Snapshots: Snapshots{
				Interest:          &Grid[place]{Cell: 80, Radius: 200},
				ComponentInterest: []ComponentInterest{Only[fuse](Same[fuse]()), Only[hall](Same[hall]())},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seeds(t, 3, func(t *testing.T, seed uint64) {
				config := config
				config.Seed = seed
				if seed%2 == 1 {
					config.Snapshots.Budget = 260
				}
				a, b := whatItIsTold(t, config, false), whatItIsTold(t, config, true)
				if len(a) < 50 {
					t.Fatalf("%d messages", len(a))
				}
				for i := range a {
					if i >= len(b) || !bytes.Equal(a[i], b[i]) {
						t.Fatalf("message %d of %d is\n%x\nand with other hidden components\n%x", i, len(a), a[i], b[min(i, len(b)-1)])
					}
				}
			})
		})
	}
}

// whatItIsTold returns the messages of the server to the first client. The client is in team 1. All mines are in team 0, and
// the client may not see their fuses and trails. If lit is true, some mines have these components from time to time.
func whatItIsTold(t *testing.T, config ServerConfig, lit bool) (heard [][]byte) {
	shown, hidden := rand.New(rand.NewPCG(config.Seed, 1)), rand.New(rand.NewPCG(config.Seed, 2))
	g := newGame(t, mines, config)
	g.blind = true
	w := g.server.World()
	link := netsys.Link{Latency: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: float64(config.Seed%3) * 0.05}
	g.overhear(func(client uint32, b []byte) {
		if client == 1 {
			heard = append(heard, bytes.Clone(b))
		}
	})
	var all []ecs.Entity
	lay := func() {
		e := w.Spawn(place{X: shown.Float32()*200 - 100, Y: shown.Float32() * 100}, beat{}, hall{})
		if shown.IntN(3) == 0 {
			ecs.Add(w, e, tint{uint8(shown.IntN(200))})
		}
		all = append(all, e)
	}
	for range 80 {
		lay()
	}
	g.join(ClientConfig{Gather: gatherPush()}, link)
	g.join(ClientConfig{Gather: gatherPush()}, link)
	sent := 0
	for n := range 250 {
		for _, e := range all {
			at := ecs.Get[place](w, e)
			at.X, at.Y = at.X+shown.Float32()-0.5, at.Y+shown.Float32()-0.5
			ecs.Get[beat](w, e).Step = uint16(n) / 30
			if f := ecs.Get[fuse](w, e); f != nil && n%4 == 0 {
				f.Step = uint16(hidden.IntN(4)) << 14
				sent++
			}
			if x := ecs.Get[trail](w, e); x != nil {
				x.X += hidden.Float32()
			}
		}
		if n%5 == 0 {
			i := shown.IntN(len(all))
			w.Despawn(all[i])
			all = slices.Delete(all, i, i+1)
			lay()
		}
		for range 4 {
			switch e := all[hidden.IntN(len(all))]; {
			case !lit:
			case hidden.IntN(2) == 0 && ecs.Has[fuse](w, e):
				ecs.Remove[fuse](w, e)
			case ecs.Has[trail](w, e):
				ecs.Remove[trail](w, e)
			default:
				ecs.Add(w, e, fuse{})
				if len(config.Snapshots.ComponentInterest) == 2 && config.Snapshots.Interest == nil {
					ecs.Add(w, e, trail{})
				}
			}
		}
		g.step()
	}
	if lit != (sent > 200) {
		t.Fatalf("%d fuses in all", sent)
	}
	return heard
}
