package matches_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The nest is a game whose events say what a client must find in its world: eggs that are laid and hatch, and a door that
// players open.
type (
	press struct {
		Open bool `net:"edge"`
	}
	door struct {
		Opened uint16 `net:"0..60000"`
	}
	egg struct {
		Number uint16 `net:"0..60000"`
		Left   uint16 `net:"0..600"`
	}
	opened struct {
		Times uint16 `net:"0..60000"`
	}
	laid struct {
		Egg    components.NetID `net:"ref"`
		Number uint16           `net:"0..60000"`
	}
	hatched struct {
		Egg components.NetID `net:"ref"`
	}
)

func nestEvents(final bool) *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[opened](r, event.Options{Final: final})
	event.Register[laid](r, event.Options{})
	event.Register[hatched](r, event.Options{})
	return r
}

// nest returns the protocol. toViewers sends the events about eggs to the viewers of the egg instead of to all.
func nest(toViewers bool) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("nest")
		ecs.Input[press](p)
		ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
		ecs.Replicate[door](p, 0)
		ecs.Replicate[egg](p, 0)
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
			w.Spawn(components.Owner{Client: client}, components.Position{}, press{})
		})
		target := func(e ecs.Entity) event.Target {
			if toViewers {
				return event.ToViewers(e)
			}
			return event.ToAll()
		}
		p.Authority("nest", func(w *ecs.World) {
			for e, r := range ecs.EachInOrder[struct{ Egg *egg }](w) {
				if r.Egg.Left--; r.Egg.Left == 0 {
					event.Raise(w, target(e), hatched{w.NetID(e)})
					w.Despawn(e)
				}
			}
			for e, r := range ecs.EachInOrder[struct {
				At *components.Position
				_  ecs.Without[press]
				_  ecs.Without[egg]
			}](w) {
				random := w.Rand(e)
				r.At.X, r.At.Y = float32(random.IntN(8000)), float32(random.IntN(8000))
			}
			random := w.Rand(ecs.Entity{})
			if random.IntN(20) == 0 {
				number := uint16(random.IntN(60000))
				e := w.Spawn(egg{Number: number, Left: 200}, components.Position{})
				event.Raise(w, target(e), laid{w.NetID(e), number})
			}
			for _, r := range ecs.EachInOrder[struct{ In *press }](w) {
				if r.In.Open {
					for _, d := range ecs.Each[struct{ Door *door }](w) {
						d.Door.Opened++
						event.Raise(w, event.ToAll(), opened{d.Door.Opened})
					}
				}
			}
		})
		return p
	}
}

// nestLinks are a perfect link and three bad ones.
var nestLinks = map[string]netsys.Link{
	"perfect": {},
	"good":    systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02),
	"bad":     systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05),
	"bursts":  {Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2, Burst: 300 * time.Millisecond},
}

// An event is handled when the world of the client shows what the event says, under every model, over bad links, with players
// that join, and with more changes than fit into snapshots; far over the budget, a few events say that they did not wait any
// longer. OnPresence reports only entities that the server has. Final events are played on all links with TACTUS_LONG only.
func TestEventsAgreeWithTheWorld(t *testing.T) {
	t.Parallel()
	for _, m := range policy.Presets() {
		for link, l := range nestLinks {
			for _, x := range []struct {
				name             string
				final, toViewers bool
				jumping, budget  int
			}{{name: "all"}, {name: "final", final: true, toViewers: true}, {"crowded", false, true, 300, 0}, {"over budget", false, false, 200, 200}} {
				if x.final && link != "bursts" && !fieldtest.Long() || x.jumping > 0 && (link != "bursts" || !policy.Is[policy.LocalSync](m) && !policy.Is[policy.ServerRewind](m)) {
					continue
				}
				t.Run(fmt.Sprintf("%v/%s/%s", m, link, x.name), func(t *testing.T) {
					t.Parallel()
					var c *systemstest.Crowd
					events, unconfirmed, wrong := 0, 0, 0
					contradicts := func(k int, at event.Origin, format string, args ...any) {
						if _, loaded := c.Clients[k].Loaded(); !loaded || at.Unconfirmed {
							return
						}
						if wrong++; wrong < 4 {
							t.Errorf("client %d: %s", k, fmt.Sprintf(format, args...))
						}
					}
					count := func(at event.Origin) {
						if events++; at.Unconfirmed {
							unconfirmed++
						}
					}
					server := systems.ServerConfig{Model: m, Events: event.NewServer(nestEvents(x.final), event.ServerConfig{})}
					server.Snapshots.Budget = x.budget
					c = systemstest.New(t, systemstest.Config{
						Protocol: nest(x.toViewers), Server: server, Clients: 3, Link: l, Seed: 1,
						Populate: func(w *ecs.World) {
							w.Spawn(door{})
							for range x.jumping {
								w.Spawn(components.Position{})
							}
						},
						Client: func(k int) (config systems.ClientConfig) {
							config.Events = event.NewClient(nestEvents(x.final), event.ClientConfig{})
							event.OnClient(config.Events, func(w *ecs.World, at event.Origin, v *opened) {
								count(at)
								for _, d := range ecs.All[struct{ Door door }](w) {
									if d.Door.Opened < v.Times {
										contradicts(k, at, "tick %d: the door was opened %d times, and in the world %d", at.Tick, v.Times, d.Door.Opened)
									}
								}
							})
							event.OnClient(config.Events, func(w *ecs.World, at event.Origin, v *laid) {
								count(at)
								if _, still := c.Server.World().ByNetID(v.Egg); !still {
									return // it may have hatched before this event could be handled
								}
								e, _ := w.ByNetID(v.Egg)
								if g := ecs.Get[egg](w, e); g == nil || g.Number != v.Number {
									contradicts(k, at, "tick %d: egg %d has number %d, and in the world it is %+v", at.Tick, v.Egg, v.Number, g)
								}
							})
							event.OnClient(config.Events, func(w *ecs.World, at event.Origin, v *hatched) {
								count(at)
								if _, ok := w.ByNetID(v.Egg); ok {
									contradicts(k, at, "tick %d: egg %d has hatched and is still there", at.Tick, v.Egg)
								}
							})
							config.OnPresence = func(w *ecs.World, p systems.PresenceChange) {
								if _, ok := c.Server.World().ByNetID(p.ID); p.Tick > c.Server.Tick() || !ok && p.Why == systems.Spawned && p.Tick+200 > c.Server.Tick() {
									contradicts(k, event.Origin{}, "%+v at tick %d of the server", p, c.Server.Tick())
								}
							}
							return config
						},
						Play: systemstest.Play(func(k *systemstest.Client, in *press) { in.Open = k.Rand().IntN(60) == 0 }),
					})
					c.Connect()
					c.Run(6 * time.Second)
					late := c.Join()
					c.Run(5 * time.Second)
					late.Leave()
					c.Run(2 * time.Second)
					if events < 60 || wrong > 0 || unconfirmed > 0 && x.budget == 0 || unconfirmed > events/10 {
						t.Errorf("of %d events %d contradict the world, and %d did not wait for it", events, wrong, unconfirmed)
					}
				})
			}
		}
	}
}
