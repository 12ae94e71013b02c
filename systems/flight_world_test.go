package systems_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

type (
	stallPlace struct {
		X, Y int32 `net:"-100000..100000"`
	}
	stallScore struct{ Sum int64 } // local
	stallMove  struct {
		DX   int8 `net:"-1..1"`
		Fire bool `net:"edge"`
		Seen lagcomp.Claim
	}
	stallBid struct {
		N uint32 `net:"raw"`
	}
	stallName struct {
		N uint8 `net:"0..200"`
	}
)

// stalls returns a game whose rules read the past, and whose messages and events change the world.
func stalls() *ecs.Protocol {
	p := ecs.NewProtocol("stalls/1")
	ecs.Replicate[stallPlace](p, ecs.Predicted|ecs.Interpolated)
	ecs.Local[stallScore](p, 0)
	ecs.Input[stallMove](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, stallPlace{X: int32(client) * 100}, stallScore{}, stallMove{})
	})
	ecs.Command(p, func(w *ecs.World, client uint32, v *stallName) {
		for _, r := range ecs.EachOf[struct{ Score *stallScore }](w, client) {
			r.Score.Sum += int64(v.N)
		}
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Place *stallPlace
			In    *stallMove
		}](w) {
			r.Place.X += int32(r.In.DX)
		}
	})
	p.Authority("look", func(w *ecs.World) {
		for _, r := range ecs.EachInOrder[struct {
			Owner *components.Owner
			Place *stallPlace
			Score *stallScore
			In    *stallMove
		}](w) {
			r.Place.Y = (r.Place.Y*3 + r.Place.X) % 1000
			if r.In.Fire {
				view := lagcomp.As(w, r.Owner.Client, r.In.Seen)
				for _, other := range lagcomp.All[struct{ Place stallPlace }](view) {
					r.Score.Sum = r.Score.Sum*3 + int64(other.Place.X)
				}
				r.Place.Y = (r.Place.Y + int32(r.Score.Sum%100)) % 1000
			}
		}
	})
	return p
}

// award changes the score of a client outside of ticks.
func award(w *ecs.World, client uint32, n int64) {
	for _, r := range ecs.EachOf[struct{ Score *stallScore }](w, client) {
		r.Score.Sum += n
	}
}

// outside adds systems that write the world before and after the ticks of a wake-up.
func outside(s *ecs.Schedule) error {
	add := func(n int64) func(*ecs.World) {
		return func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ Score *stallScore }](w) {
				r.Score.Sum = r.Score.Sum*n%100_003 + n
			}
		}
	}
	return errors.Join(
		s.InsertBefore("Receive", ecs.System{Name: "first", Run: add(3)}),
		s.InsertAfter("Receive", ecs.System{Name: "second", Run: add(5)}),
		s.InsertBefore("Snapshot", ecs.System{Name: "third", Run: add(7)}),
	)
}

// A rerun repeats systems outside of ticks, messages, events, commands of handlers and claims of lag
// compensation.
func TestRerunRepeatsWhatIsNoInput(t *testing.T) {
	for i, m := range append(flightModels()[:9], policy.ServerRewind{}) {
		rewinds := m.String() == "ServerRewind"
		relays := m.String() == "Rollback" || m.String() == "Lockstep"
		t.Run(fmt.Sprintf("%d/%v", i, m), func(t *testing.T) {
			server := func(flight *systems.Flight) (c systems.ServerConfig) {
				r := event.NewRegistry(channel.Config{})
				event.Register[stallBid](r, event.Options{From: event.FromClients, Rate: 5, Burst: 5})
				c = systems.ServerConfig{Model: m, Flight: flight, Events: event.NewServer(r, event.ServerConfig{})}
				if !rewinds {
					c.LagComp = &lagcomp.Config{MaxRewind: 300 * time.Millisecond}
				}
				if !rewinds && !relays {
					c.Schedule = outside
				}
				event.OnServer(c.Events, event.Handlers[stallBid]{Handle: func(w *ecs.World, from event.Sender, v *stallBid) {
					if !rewinds && !relays {
						award(w, from.Client, int64(v.N))
					}
				}})
				c.Session.OnMessage = func(s *systems.Server, client uint32, _ int, b []byte) error {
					if !rewinds && !relays {
						award(s.World(), client, int64(len(b)))
					}
					return systems.CommandFor(s, client, stallName{uint8(len(b))})
				}
				return c
			}
			c := systemstest.Config{
				Protocol: stalls,
				Server:   server(&systems.Flight{Length: 4 * time.Second}),
				Client: func(int) systems.ClientConfig {
					r := event.NewRegistry(channel.Config{})
					event.Register[stallBid](r, event.Options{From: event.FromClients, Rate: 5, Burst: 5})
					return systems.ClientConfig{Models: []policy.Model{m}, Events: event.NewClient(r, event.ClientConfig{})}
				},
				Play: systemstest.Play(func(c *systemstest.Client, in *stallMove) {
					in.DX = int8(c.Input()/16%3) - 1
					in.Fire = c.Rand().IntN(9) == 0
					in.Seen = c.Claim(in.Fire)
				}),
				Clients: 3, Seed: uint64(i), Link: systemstest.RoundTrip(200*time.Millisecond, 60*time.Millisecond, 0.1),
			}
			x := systemstest.New(t, c)
			x.Connect()
			x.OnClientTick(func(k *systemstest.Client) {
				if k.Rand().IntN(5) == 0 {
					event.Raise(k.World(), event.ToServer(), stallBid{uint32(k.Rand().IntN(1000))})
				}
			})
			for n := range 12 {
				x.Run(time.Second)
				if n == 6 {
					x.Clients[0].Leave()
					x.Join()
				}
			}
			file := flightOf(t, x.Server)
			report, err := systems.Rerun(file, func(string, int) (*ecs.Protocol, systems.ServerConfig) { return c.Protocol(), server(nil) })
			if err != nil {
				t.Fatal(err)
			}
			if !report.Equal || report.Checkpoints < 4 || report.First < 100 {
				t.Errorf("%+v %v", *report, report.Difference)
			}
			scores := 0
			for _, r := range ecs.All[struct{ Score stallScore }](x.Server.World()) {
				if r.Score.Sum != 0 {
					scores++
				}
			}
			if scores == 0 || x.Server.Stats().ChannelMessages == 0 {
				t.Error("nothing happened")
			}
		})
	}
}
