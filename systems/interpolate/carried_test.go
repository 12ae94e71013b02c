package interpolate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The parade is the field with flags, which players and other flags carry.

// Held is the carrier of a flag, and the flag's offset.
type Held struct {
	By   components.NetID `net:"ref parent"`
	X, Y float32          `net:"-8..8 step 0.01"`
}

// Flag is the number of a flag, from 1 on.
type Flag struct {
	Number uint8 `net:"0..255"`
}

type banner struct {
	Pos   *components.Position
	Held  *Held
	Flag  *Flag
	Jumps *components.Teleports
}

// beside returns the position of a flag whose carrier is at a position.
func beside(h Held, at components.Position) components.Position {
	return components.Position{X: at.X + h.X, Y: at.Y + h.Y}
}

// carry places held entities at their carriers.
func carry(p *ecs.Protocol) { ecs.Carry(p, beside) }

// parade returns the field with flags and the additions of a test.
func parade(more ...fieldtest.Part) func() *ecs.Protocol {
	return fieldtest.ProtocolWith(append([]fieldtest.Part{fieldtest.HiddenPart, fieldtest.Predicted[Held], fieldtest.Predicted[Flag], fieldtest.Predicted[components.Teleports], carry}, more...)...)
}

// flags puts n flags onto the field.
func flags(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: 60, Y: 10 * float32(i)}, Held{}, Flag{uint8(i + 1)}, components.Teleports{})
		}
	}
}

// playerOf returns the entity that a client walks, 0 for none.
func playerOf(w *ecs.World, client uint32) components.NetID {
	for e, p := range ecs.Each[fieldtest.Pushable](w) {
		if p.Own.Client == client && ecs.Has[fieldtest.Jumps](w, e) {
			return w.NetID(e)
		}
	}
	return 0
}

// column lets up to 8 flags stand one on the other, the last of all on the first player.
func column(w *ecs.World) {
	var list [8]components.NetID
	n := 0
	for e := range ecs.EachInOrder[banner](w) {
		list[n] = w.NetID(e)
		n++
	}
	for i := range n {
		e, _ := w.ByNetID(list[i])
		by := playerOf(w, 1)
		if i+1 < n {
			by = list[i+1]
		}
		*ecs.Get[Held](w, e) = Held{by, 1.25, -2.5 * float32(i+1)}
	}
}

// offPlace returns the largest distance of a carried flag from its correct position, and the number of carried flags.
func offPlace(w *ecs.World) (most float64, carried int) {
	for e, f := range ecs.All[struct {
		Pos  components.Position
		Held Held
	}](w) {
		carrier, there := w.ByNetID(f.Held.By)
		if !there {
			continue
		}
		want := beside(f.Held, *ecs.Get[components.Position](w, carrier))
		most = max(most, fieldtest.Distance(*ecs.Get[components.Position](w, e), want))
		carried++
	}
	return most, carried
}

// onParade returns a configuration of the parade over a link at 300/50/5, in which every other
// client draws between ticks, too.
func onParade(preset policy.Model, seed uint64, clients, n int, more ...fieldtest.Part) systemstest.Config {
	config := fieldtest.PresetConfig(preset, seed, clients, systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05))
	config.Protocol, config.Populate, config.FrameRate = parade(more...), flags(n), 75
	config.Client = func(n int) (k systems.ClientConfig) {
		if n%2 > 0 {
			k.Prediction.Partial = systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) { in.DX = 1 })
		}
		return k
	}
	return config
}

// Under each model a flag is drawn exactly at its drawn carrier, and so is an entity on the flag, in the views of the
// carrier's client and of all others. The server has it in the same place.
func TestNetcodeE9_CarriedIsDrawnAtItsCarrier(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.Buffered{}, policy.Rollback{}), fieldtest.SeedCount(2), func(t *testing.T, preset policy.Model, seed uint64) {
		config := onParade(preset, seed, 3, 3, fieldtest.Authority(column))
		c := fieldtest.Start(t, config, 5*time.Second)
		worst, drawn, moved := map[int]float64{}, 0, 0.0
		was := map[int]components.Position{}
		c.OnFrame(func(k *systemstest.Client) {
			most, n := offPlace(k.View())
			worst[k.N], drawn = max(worst[k.N], most), drawn+n
			at := drawnFlag(k.View(), 1)
			moved += fieldtest.Distance(at, was[k.N])
			was[k.N] = at
		})
		c.OnServerTick(func() {
			if most, n := offPlace(c.Server.World()); most != 0 || n != 3 {
				t.Fatalf("tick %d: on the server %d flags are carried, and stand %v beside their places", c.Server.Tick(), n, most)
			}
		})
		c.Run(10 * time.Second)
		for n, most := range worst {
			if most > 0 {
				t.Errorf("client %d drew a flag %.3f units from where it drew what carries it", n, most)
			}
		}
		if drawn < 3*3*700 || moved < 10 {
			t.Errorf("%d flags were drawn, which moved by %.0f units", drawn, moved)
		}
	})
}

// drawnFlag returns the position of a flag in a world.
func drawnFlag(w *ecs.World, number uint8) components.Position {
	for _, f := range ecs.All[struct {
		Pos  components.Position
		Flag Flag
	}](w) {
		if f.Flag.Number == number {
			return f.Pos
		}
	}
	panic(fmt.Sprintf("there is no flag %d", number))
}

// onFlag changes the first flag.
func onFlag(w *ecs.World, change func(b banner)) {
	for _, b := range ecs.EachInOrder[banner](w) {
		if b.Flag.Number == 1 {
			change(b)
		}
	}
}

// hand gives the flag at given ticks to the player of a client, or to nobody if it is 0.
func hand(to map[uint32]uint32, jumps uint32) func(w *ecs.World) {
	return func(w *ecs.World) {
		if client, now := to[w.Tick()]; now {
			onFlag(w, func(b banner) {
				*b.Held = Held{playerOf(w, client), 0, 1.5}
				if w.Tick() == jumps {
					b.Jumps.Count++
				}
			})
		}
	}
}

// glance is how a client drew the flag in a frame.
type glance struct {
	by      components.NetID
	at      components.Position
	off     float64 // from where its carrier has it
	carried bool
	jumps   uint8
	changed time.Time // when its carrier was another last
	changes int
	landed  int // jumps
}

// watchFlag demands that the flag goes over from carrier to carrier within 12 ticks, and in each
// frame by no more than most; or all at once where it jumps.
func watchFlag(t *testing.T, c *systemstest.Crowd, most float64) map[int]*glance {
	glances := map[int]*glance{}
	c.OnFrame(func(k *systemstest.Client) {
		now := glance{}
		for _, f := range ecs.All[struct {
			Pos   components.Position
			Held  Held `ecs:"optional"`
			Jumps components.Teleports
		}](k.View()) {
			now.by, now.at, now.jumps = f.Held.By, f.Pos, f.Jumps.Count
		}
		now.off, _ = offPlace(k.View())
		_, now.carried = k.View().ByNetID(now.by)
		was := glances[k.N]
		if was == nil {
			glances[k.N] = &now
			return
		}
		now.changed, now.changes, now.landed = was.changed, was.changes, was.landed
		step := fieldtest.Distance(now.at, was.at)
		switch {
		case now.jumps != was.jumps:
			if now.landed++; step < 3 || now.off != 0 {
				t.Errorf("%v: a flag that jumped moved by %.2f, and stands %.2f beside its place", k, step, now.off)
			}
			now.changed = time.Time{}
		case now.by != was.by || now.carried != was.carried:
			now.changed, now.changes = c.Now(), now.changes+1
		}
		if now.jumps == was.jumps && step > most {
			t.Errorf("%v: %v after its carrier changed the flag moved by %.2f in a frame", k, c.Now().Sub(now.changed), step)
		}
		if now.off > 0 && c.Now().Sub(now.changed) > fieldtest.Ticks(13) {
			t.Errorf("%v: %v after its carrier changed the flag stands %.3f beside its place", k, c.Now().Sub(now.changed), now.off)
		}
		glances[k.N] = &now
	})
	return glances
}

// wear returns a system like that of hand, which also adds the component with the carrier, and removes it.
func wear(to map[uint32]uint32, jumps uint32) func(w *ecs.World) {
	return func(w *ecs.World) {
		client, now := to[w.Tick()]
		if !now {
			return
		}
		for e, b := range ecs.EachInOrder[struct {
			Flag  *Flag
			Jumps *components.Teleports
		}](w) {
			if w.Tick() == jumps {
				b.Jumps.Count++
			}
			if ecs.Remove[Held](w, e); client != 0 {
				ecs.Add(w, e, Held{playerOf(w, client), 0, 1.5})
			}
		}
	}
}

// A flag that changes its carrier, or is put down, blends within 12 ticks. If components.Teleports has counted, it jumps.
func TestNetcodeE9_AnotherCarrierIsGoneOverTo(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.Buffered{}, policy.Rollback{}), fieldtest.SeedCount(2), func(t *testing.T, preset policy.Model, seed uint64) {
		to := map[uint32]uint32{550: 0, 600: 1, 660: 2, 720: 0, 780: 1, 840: 2}
		for _, rule := range []func(w *ecs.World){hand(to, 840), wear(to, 840)} {
			config := onParade(preset, seed, 2, 1, fieldtest.Authority(rule))
			config.Play = fieldtest.Straight()
			c := fieldtest.Start(t, config, 5*time.Second)
			glances := watchFlag(t, c, 2.6)
			c.Run(12 * time.Second)
			for n, g := range glances {
				if g.changes != 4 || g.landed != 1 {
					t.Errorf("client %d saw %d changes of carrier, and %d jumps", n, g.changes, g.landed)
				}
			}
		}
	})
}

// A flag whose carrier is destroyed or out of a client's sight is drawn at its received states, without a jump.
func TestNetcodeE9_WithoutItsCarrierItIsDrawnByItsOwnStates(t *testing.T) {
	t.Parallel()
	const from, until = 600, 700
	type row struct {
		fieldtest.Name
		preset policy.Model
		gone   bool
	}
	fieldtest.EachRow(t, []row{
		{"out of sight", policy.LocalSync{}, false},
		{"out of sight, damped", policy.Buffered{}, false},
		{"destroyed", policy.LocalSync{}, true},
		{"destroyed, damped", policy.Buffered{}, true},
		{"destroyed, all peers", policy.Rollback{}, true},
	}, func(t *testing.T, test row) {
		config := onParade(test.preset, 1, 2, 1, fieldtest.Authority(func(w *ecs.World) {
			hand(map[uint32]uint32{300: 1}, 0)(w)
			if e, there := w.ByNetID(playerOf(w, 1)); there && test.gone && w.Tick() == from {
				w.Despawn(e)
			}
		}))
		config.Play = fieldtest.Straight()
		if !test.gone {
			config.Server.Snapshots.Interest = fieldtest.NotHidden()
		}
		c := systemstest.New(t, config)
		c.Connect()
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from-60 })
		places := map[int]components.Position{}
		c.OnServerTick(func() {
			w := c.Server.World()
			places[int(c.Server.Tick())] = drawnFlag(w, 1)
			if e, there := w.ByNetID(playerOf(w, 1)); there && !test.gone {
				switch w.Tick() {
				case from:
					fieldtest.HideFrom(w, e, fieldtest.Everybody)
				case until:
					fieldtest.HideFrom(w, e, 0)
				}
			}
		})
		glances := watchFlag(t, c, 1)
		alone := 0
		c.OnFrame(func(k *systemstest.Client) {
			g := glances[k.N]
			if g.carried || c.Now().Sub(g.changed) < fieldtest.Ticks(30) {
				return
			}
			alone++
			at, behind := places[int(k.DrawnTick())], 0.15
			if policy.Is[policy.Buffered](test.preset) && !test.gone {
				behind = 1.5
			}
			if d := fieldtest.Distance(at, g.at); d > behind {
				t.Errorf("%v draws the flag %.2f from where the server had it in tick %.1f", k, d, k.DrawnTick())
			}
		})
		c.Run(5 * time.Second)
		for n, g := range glances {
			want := 2
			if test.gone || c.Clients[n].ID() == 1 {
				want = 1
			}
			if test.gone == g.carried || g.changes > want || alone == 0 {
				t.Errorf("client %d saw %d changes of carrier, and carried %v; %d frames without it", n, g.changes, g.carried, alone)
			}
		}
	})
}

// ownFlags gives each of n clients its own flag.
func ownFlags(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Owner{Client: uint32(i + 1)}, components.Position{}, Held{}, Flag{uint8(i + 1)}, components.Teleports{})
		}
	}
}

// Nobody places a circle of flags of different clients and the entities on it: each client has its flag where the server has
// it.
func TestNetcodeE9_ACircleAcrossClients(t *testing.T) {
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}), 1, func(t *testing.T, preset policy.Model, seed uint64) {
		const clients = 3
		config := onParade(preset, seed, clients, 0, fieldtest.Authority(func(w *ecs.World) {
			if w.Tick() != 300 {
				return
			}
			var list []banner
			var ids []components.NetID
			for e, b := range ecs.EachInOrder[banner](w) {
				list, ids = append(list, b), append(ids, w.NetID(e))
			}
			for i, by := range []int{1, 0, 0} {
				*list[i].Held, *list[i].Pos = Held{ids[by], 1, 2}, components.Position{X: 10 * float32(i), Y: 5}
			}
		}))
		config.Populate = ownFlags(clients)
		c := fieldtest.Start(t, config, 10*time.Second)
		for n := range uint8(clients) {
			want := components.Position{X: 10 * float32(n), Y: 5}
			if at := drawnFlag(c.Server.World(), n+1); at != want {
				t.Errorf("the server has flag %d at %v, want %v", n+1, at, want)
			}
			for _, k := range c.Clients {
				if at := drawnFlag(k.World(), n+1); fieldtest.Distance(at, want) > 0.02 {
					t.Errorf("%v has flag %d at %v, want %v", k, n+1, at, want)
				}
			}
		}
		fieldtest.MustConverge(c)
	})
}

// An own entity whose carrier loses its place or is destroyed then stands where the server has it. The carrier moves until
// then, so clients do not know its last place exactly.
func TestNetcodeE9_WhatLosesItsCarrierStandsWhereTheServerHasIt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *ecs.World, carrier ecs.Entity){
		"no place":  func(w *ecs.World, carrier ecs.Entity) { ecs.Remove[components.Position](w, carrier) },
		"destroyed": func(w *ecs.World, carrier ecs.Entity) { w.Despawn(carrier) },
	} {
		t.Run(name, func(t *testing.T) {
			fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}), fieldtest.SeedCount(2), func(t *testing.T, preset policy.Model, seed uint64) {
				const attached, lost, clients = 300, 421, 2
				config := onParade(preset, seed, clients, 0, fieldtest.Authority(func(w *ecs.World) {
					for e, r := range ecs.EachInOrder[struct {
						Pos  *components.Position
						Flag *Flag
						Held *Held `ecs:"optional"`
					}](w) {
						switch {
						case r.Held != nil && w.Tick() == attached:
							r.Held.By = onlyWithout[Held](w)
						case r.Held != nil:
						case w.Tick() == lost:
							lose(w, e)
						case w.Tick() > attached && w.Tick() < lost:
							r.Pos.X += 0.5
						}
					}
				}))
				config.Populate = func(w *ecs.World) {
					ownFlags(clients)(w)
					w.Spawn(components.Position{X: -50}, Flag{9})
				}
				c := fieldtest.Start(t, config, 10*time.Second)
				for n := range uint8(clients) {
					at := drawnFlag(c.Server.World(), n+1)
					if at.X < -10 {
						t.Fatalf("flag %d was not carried: it stands at %v", n+1, at)
					}
					for _, k := range c.Clients {
						if mine := drawnFlag(k.World(), n+1); fieldtest.Distance(mine, at) > 0.02 {
							t.Errorf("%v has flag %d at %v, on the server it is at %v", k, n+1, mine, at)
						}
					}
				}
				fieldtest.MustConverge(c)
			})
		})
	}
}

// onlyWithout returns the one flag that lacks a component.
func onlyWithout[T any](w *ecs.World) (id components.NetID) {
	for e := range ecs.All[struct{ Flag Flag }](w) {
		if !ecs.Has[T](w, e) {
			id = w.NetID(e)
		}
	}
	return id
}

// Half of a circle is hidden from all clients, which therefore place the entities on the visible half. [systems.Difference]
// accepts that.
func TestNetcodeE9_ACircleThatIsSeenInPart(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Ahead(policy.LocalSync{}, policy.ServerRewind{}), 1, func(t *testing.T, preset policy.Model, seed uint64) {
		config := onParade(preset, seed, 1, 2, fieldtest.Authority(func(w *ecs.World) {
			if w.Tick() != 300 {
				return
			}
			var ids []components.NetID
			for e := range ecs.EachInOrder[banner](w) {
				ids = append(ids, w.NetID(e))
			}
			i := 0
			for e, b := range ecs.EachInOrder[banner](w) {
				b.Held.By, b.Held.X = ids[[]int{1, 0, 0}[i]], 2
				if i == 1 {
					fieldtest.HideFrom(w, e, fieldtest.Everybody)
				}
				i++
			}
		}))
		config.Server.Snapshots.Interest = fieldtest.NotHidden()
		populate := config.Populate
		config.Populate = func(w *ecs.World) {
			populate(w)
			w.Spawn(components.Owner{Client: 1}, components.Position{}, Held{}, Flag{3}, components.Teleports{})
		}
		c := fieldtest.Start(t, config, 10*time.Second)
		server, mine := drawnFlag(c.Server.World(), 3), drawnFlag(c.Clients[0].World(), 3)
		if server != (components.Position{}) || mine == server {
			t.Errorf("the server has the flag at %v, the client at %v", server, mine)
		}
		fieldtest.MustConverge(c)
	})
}

// swap lets each flag be carried by the player of the client whose number is its own plus by.
func swap(by uint32) func(w *ecs.World) {
	return func(w *ecs.World) {
		for _, b := range ecs.EachInOrder[banner](w) {
			*b.Held = Held{playerOf(w, (uint32(b.Flag.Number)-1+by)%2+1), 1, 2}
		}
	}
}

// shove is a system that moves the first two players now and then, on the server alone.
func shove(w *ecs.World) {
	for e, p := range ecs.Each[fieldtest.Pushable](w) {
		if w.Tick() > 400 && w.Tick()%40 == 0 && ecs.Has[fieldtest.Jumps](w, e) {
			p.Pos.Y += 3
		}
	}
}

// Carried entities are placed in all simulated ticks, including those of replays. A carrier that nobody pushes causes no
// correction.
func TestNetcodeE9_ReplaysPlaceWhatIsCarried(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}), 1, func(t *testing.T, preset policy.Model, seed uint64) {
		peers := policy.TraitsOf(preset).RelaysInputs
		for _, pushed := range []bool{false, true} {
			rules := swap(0)
			if pushed {
				rules = func(w *ecs.World) {
					swap(0)(w)
					shove(w)
				}
			}
			config := onParade(preset, seed, 2, 0, fieldtest.Authority(rules))
			config.Populate = ownFlags(2)
			if !pushed {
				config.Link = fieldtest.Lag(9)
			}
			c := fieldtest.Start(t, config, 3*time.Second)
			placed, where := 0, 0.0
			c.OnClientTick(func(k *systemstest.Client) {
				w := k.World()
				for _, f := range ecs.Each[struct {
					Pos  *components.Position
					Held *Held
				}](w) {
					if e, there := w.ByNetID(f.Held.By); there && (peers || ecs.Has[components.Predicted](w, e)) {
						placed++
						where = max(where, fieldtest.Distance(*f.Pos, beside(*f.Held, *ecs.Get[components.Position](w, e))))
					}
				}
			})
			c.Run(5 * time.Second)
			if placed < 2*290 || where > 0 && !pushed || where > 3 {
				t.Errorf("pushed %v: %d flags were placed, up to %.3f beside their places", pushed, placed, where)
			}
			if !pushed && !peers {
				c.NoCorrections()
			}
			fieldtest.MustConverge(c)
		}
	})
}

// An own entity on the carrier of another client follows the received states of that carrier, without corrections. A player
// that gets off walks on.
func TestNetcodeE9_PassengersAreNotCorrected(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}), fieldtest.SeedCount(2), func(t *testing.T, preset policy.Model, seed uint64) {
		off := uint32(1 << 30)
		config := onParade(preset, seed, 2, 0, fieldtest.Authority(func(w *ecs.World) {
			if swap(1)(w); w.Tick() >= off {
				for _, b := range ecs.Each[banner](w) {
					b.Held.By = 0
				}
			}
		}))
		config.Populate, config.Link = ownFlags(2), fieldtest.Lag(9)
		c := fieldtest.Start(t, config, 10*time.Second)
		most := 0.0
		c.OnFrame(func(k *systemstest.Client) {
			d, _ := offPlace(k.View())
			most = max(most, d)
		})
		before := c.Server.Stats().Reports
		c.Run(10 * time.Second)
		if c.NoCorrections(); most > 0 {
			t.Errorf("a passenger was drawn %.3f units from its place", most)
		}
		if st := c.Server.Stats().Reports; st.Differed != before.Differed || policy.Is[policy.CorrectOnMismatch](preset) && st.Agreed-before.Agreed < 1000 {
			t.Errorf("of the results of passengers %d agreed, and %d did not", st.Agreed-before.Agreed, st.Differed-before.Differed)
		}
		off = c.Server.Tick() + 1
		c.Run(2 * time.Second)
		c.Mark()
		c.Run(2 * time.Second)
		c.NoCorrections()
		fieldtest.MustConverge(c)
		for n := range 2 {
			if d := fieldtest.Distance(drawnFlag(c.Clients[0].World(), uint8(n+1)), drawnFlag(c.Server.World(), uint8(n+1))); d > fieldtest.Tolerance {
				t.Errorf("the passenger of client %d got off %.2f units from where the server has it", n+1, d)
			}
		}
	})
}

// flare lets a jumping player carry a flag for a second, which its owner predicts.
func flare(w *ecs.World) {
	for _, b := range ecs.Each[banner](w) {
		b.Flag.Number = max(b.Flag.Number, 1) - 1
	}
	for e, b := range ecs.Each[banner](w) {
		if b.Flag.Number == 0 {
			w.Despawn(e)
		}
	}
	for e, p := range ecs.Each[fieldtest.Walker](w) {
		if p.In.Jump {
			ecs.Spawn(w, struct {
				Own   components.Owner
				Pos   components.Position
				Held  Held
				Flag  Flag
				Jumps components.Teleports
			}{Own: *p.Own, Pos: *p.Pos, Held: Held{w.NetID(e), 1, 3}, Flag: Flag{60}})
		}
	}
}

// Predicted spawns are drawn at their carrier, before and after the server has confirmed them.
func TestNetcodeE9_PredictedSpawnsAreCarried(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Ahead(policy.LocalSync{}, policy.ServerRewind{}), 1, func(t *testing.T, preset policy.Model, seed uint64) {
		config := onParade(preset, seed, 2, 0, fieldtest.Simulate("flare", flare))
		c := fieldtest.Start(t, config, 5*time.Second)
		unnamed, named, most := 0, 0, 0.0
		c.OnFrame(func(k *systemstest.Client) {
			d, n := offPlace(k.View())
			most, named = max(most, d), named+n
			for e := range ecs.All[struct{ Held Held }](k.View()) {
				if k.View().NetID(e) == 0 {
					unnamed++
				}
			}
		})
		c.Run(10 * time.Second)
		if named -= unnamed; unnamed < 100 || named < 300 || most > 0 {
			t.Errorf("%d flags were drawn before the server named them, %d after, up to %.3f beside their places", unnamed, named, most)
		}
	})
}

// If places have axis tags, a carried entity costs almost no bytes: its place follows from its carrier's.
func TestNetcodeE9_BytesOfTheCarried(t *testing.T) {
	t.Parallel()
	perSnapshot := func(rules ...fieldtest.Part) float64 {
		config := fieldtest.PresetConfig(policy.LocalSync{}, 1, 4, fieldtest.RoughLink())
		config.Populate = flags(8)
		config.Server.Snapshots.SendRate = 20
		axes := schema.Fields{"X": "-8192..8192 step 0.01 axis x", "Y": "-8192..8192 step 0.01 axis y"}
		config.Protocol = fieldtest.ProtocolWithFields(axes, append([]fieldtest.Part{ecs.Input[fieldtest.Walk], fieldtest.Predicted[Held], fieldtest.Predicted[Flag], fieldtest.Predicted[components.Teleports], carry, fieldtest.Simulate("walk", fieldtest.MoveWalkers)}, rules...)...)
		c := fieldtest.Start(t, config, 5*time.Second)
		told := func() (bytes, snapshots uint64) {
			for _, k := range c.Clients {
				var r systems.Received
				k.CountBytes(true)
				k.Received(&r)
				bytes, snapshots = bytes+r.Bytes, snapshots+k.Figures().Snapshots
			}
			return bytes, snapshots
		}
		bytes, snapshots := told()
		c.Run(12 * time.Second)
		after, all := told()
		return float64(after-bytes) / float64(all-snapshots)
	}
	still := perSnapshot()
	carried := perSnapshot(fieldtest.Authority(func(w *ecs.World) {
		for _, b := range ecs.EachInOrder[banner](w) {
			*b.Held = Held{playerOf(w, uint32(b.Flag.Number)%4+1), 1.25, -2.5}
		}
	}))
	if t.Logf("%.2f bytes a snapshot with 8 flags on the ground, %.2f where they are carried", still, carried); carried > still+2 {
		t.Errorf("8 flags that are carried cost %.2f bytes a snapshot, want at most 2", carried-still)
	}
}

// Ticks and frames in which some carry others, and hand them over, allocate nothing.
func TestNetcodeE9_CarryingAllocatesNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	fieldtest.EachRow(t, []policy.Model{policy.LocalSync{}, policy.Buffered{}}, func(t *testing.T, preset policy.Model) {
		config := onParade(preset, 1, 3, 8, fieldtest.Authority(func(w *ecs.World) {
			column(w)
			onFlag(w, func(b banner) { b.Held.By = playerOf(w, 1+w.Tick()/40%4) })
		}))
		config.CountOnly, config.Link = true, fieldtest.Lag(9)
		c := fieldtest.Start(t, config, 15*time.Second)
		by, changes := components.NetID(0), 0
		c.OnFrame(func(k *systemstest.Client) {
			for _, f := range ecs.All[struct {
				Flag Flag
				Held Held
			}](k.View()) {
				if k.N == 0 && f.Flag.Number == 1 && f.Held.By != by {
					by = f.Held.By
					changes++
				}
			}
		})
		if fieldtest.AllocatesNothing(t, c, 300); changes < 10 {
			t.Errorf("%d changes of carrier", changes)
		}
	})
}
