package reconcile_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// splitField returns a field whose snapshots need several datagrams. Entities drift at a constant speed, and beside each is
// one that moves at random.
func splitField() systemstest.Config {
	config := fieldtest.Config(1, 1, fieldtest.Lag(4))
	config.Populate = func(w *ecs.World) {
		for i := range 600 {
			w.Spawn(components.Position{X: float32(i % 40)}, fieldtest.Drift{Number: int32(i)})
		}
	}
	config.Protocol = fieldtest.ProtocolFrom(fieldtest.Simulate("walk", fieldtest.MoveWalkers), fieldtest.Simulate("move", func(w *ecs.World) {
		for e, d := range ecs.Each[fieldtest.Drifter](w) {
			if d.Do.Number%2 == 0 {
				d.Pos.X += fieldtest.StepLength
				continue
			}
			r := w.Rand(e)
			d.Pos.X, d.Pos.Y = 100*r.Float32(), 100*r.Float32()
		}
	}))
	return config
}

// An entity in a lost datagram keeps its last confirmed tick: an evenly moving entity is drawn on its line, at the drawn tick,
// under any loss.
func TestNetcodeE2_OmittedEntitiesKeepTheirTick(t *testing.T) {
	t.Parallel()
	config := splitField()
	config.Server.Session.Channels.MinRate = 128 << 10 // losses of this path are no reason to send less
	c := fieldtest.Start(t, config, 3*time.Second)
	r := ecs.NewRand(7, 7)
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && r.Float64() < 0.3 })
	c.Run(12 * time.Second) // until the delay covers the loss

	// The place of an even drifter is its first one and pace for every tick.
	compared := 0
	c.OnFrame(func(k *systemstest.Client) {
		for id, p := range fieldtest.Positions(k.View()) {
			if id > 600 || id%2 == 0 { // a player, or one that moves by chance
				continue
			}
			compared++
			want := float64((id-1)%40) + fieldtest.StepLength*k.DrawnTick()
			if off := math.Abs(float64(p.X) - want); off > fieldtest.Tolerance {
				t.Fatalf("%v draws tick %.2f: entity %d at X %.3f, on its line it is at %.3f", k, k.DrawnTick(), id, p.X, want)
			}
		}
	})
	c.Run(3 * time.Second)
	if n := c.Clients[0].Stats().Renewals; compared < 50_000 || n != 0 {
		t.Errorf("%d places compared; asked for full states %d times: losses are no reason", compared, n)
	}
	c.Lose(nil)
	fieldtest.MustConverge(c)
}

// After a push a client is right again as soon as the first state that shows it
// has come and the inputs gathered since have been consumed: a round trip, the
// buffer's depth and a send gap.
func TestNetcodePush_RightAgainAfterARoundTrip(t *testing.T) {
	const from, rounds, oneWay, gap = 1200, 8, 15, 3
	config := fieldtest.Config(1, 4, fieldtest.Lag(oneWay))
	config.Protocol = fieldtest.Pushes(from)
	c := fieldtest.Start(t, config, 10*time.Second)
	predicted := make([]map[uint32]components.Position, len(c.Clients)) // as first predicted, by input
	for n := range predicted {
		predicted[n] = map[uint32]components.Position{}
	}
	c.OnClientTick(func(k *systemstest.Client) {
		predicted[k.N][k.Input()] = fieldtest.Position(k.World(), fieldtest.OwnEntity(k))
	})
	wrong, last, lead := make([]int, len(c.Clients)), make([]int, len(c.Clients)), make([]int, len(c.Clients))
	c.OnServerTick(func() {
		for _, k := range c.Clients {
			lead[k.N] = max(lead[k.N], int(k.Input()-k.Status().LastInput)) // inputs gathered and not consumed
			if at, ok := predicted[k.N][k.Status().LastInput]; !ok || !fieldtest.Near(at, fieldtest.Position(c.Server.World(), fieldtest.OwnOnServer(c, k))) {
				wrong[k.N]++
				last[k.N] = int(c.Server.Tick()) // completed
			}
		}
	})
	for round := range rounds {
		push := from + round*fieldtest.PushEvery
		c.RunUntil(time.Minute, func() bool { return int(c.Server.Tick()) == push })
		clear(wrong)
		c.RunTicks(fieldtest.PushEvery - 1)
		for _, k := range c.Clients {
			if wrong[k.N] < 2*oneWay {
				t.Errorf("%v: wrong for %d ticks after the push in tick %d: it cannot know before a round trip", k, wrong[k.N], push)
			}
			if got, bound := last[k.N]-push, oneWay+lead[k.N]+gap+1; got > bound {
				t.Errorf("%v: wrong until %d ticks after the push in tick %d, want %d at most", k, got, push, bound)
			}
		}
	}
	c.NothingMissing()
	for _, k := range c.Clients {
		if f := k.Figures(); f.Corrections != rounds || k.Stats().LongestReplay > uint64(oneWay+lead[k.N]+1) {
			t.Errorf("%v: %d corrections of %d pushes, of up to %d ticks", k, f.Corrections, rounds, k.Stats().LongestReplay)
		}
	}
}

// A client without a system lacks what the system provides. Without Predict the own player responds after a round trip and a
// buffer. Without Reconcile a wrong prediction stays wrong. Without Interpolate other players move in steps with the
// snapshots.
func TestNetcodePush_WithoutASystem(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"", "Predict", "Reconcile", "Interpolate"} {
		const pushed = 1680
		walking := false // everybody, from one moment on
		config := fieldtest.Config(1, 2, fieldtest.BadLink())
		config.Protocol = fieldtest.Pushes(pushed)
		config.Play = systemstest.Play(func(_ *systemstest.Client, in *fieldtest.Walk) {
			if walking {
				in.DX = 1
			}
		})
		if system != "" {
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
			}
		}
		c := fieldtest.Start(t, config, 15*time.Second)
		k, answer := c.Clients[0], 0
		walking = true
		for at := fieldtest.Position(k.View(), fieldtest.DrawnOwn(k)); fieldtest.Position(k.View(), fieldtest.DrawnOwn(k)) == at && answer < 200; answer++ {
			c.RunTicks(1)
		}
		if answer > 2 && system == "" || answer < 31 && system == "Predict" {
			t.Errorf("without %q the own player answers after %d ticks, a round trip is 30", system, answer)
		}

		c.Run(3 * time.Second)
		c.Mark()
		longest := 0.0
		fieldtest.WatchFrames(c, func(k *systemstest.Client, was, now fieldtest.Picture) {
			id := c.Server.World().NetID(fieldtest.OwnOnServer(c, c.Clients[1-k.N]))
			if c.Server.Tick() < pushed {
				longest = max(longest, fieldtest.Distance(now.Others[id], was.Others[id]))
			}
		})
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == pushed-1 })
		stalls := c.Clients[0].Figures().Stalls + c.Clients[1].Figures().Stalls
		if system == "" && (stalls != 0 || longest > 1.05*fieldtest.StepLength+2*fieldtest.Tolerance) || system == "Interpolate" && (stalls < 600 || longest < 3*fieldtest.StepLength-fieldtest.Tolerance) {
			t.Errorf("without %q: %d stalls, others move by up to %.3f a frame, by the rules %.3f", system, stalls, longest, fieldtest.StepLength)
		}

		c.RunTicks(fieldtest.PushEvery)
		c.Settle()
		off := 0.0
		for _, k := range c.Clients {
			off = max(off, fieldtest.Distance(fieldtest.Position(k.World(), fieldtest.OwnEntity(k)), fieldtest.Position(c.Server.World(), fieldtest.OwnOnServer(c, k))))
		}
		if system == "" && off > fieldtest.Tolerance || system == "Reconcile" && off < fieldtest.PushDistance-1 {
			t.Errorf("without %q a player that was pushed by %d stands %.3f off", system, fieldtest.PushDistance, off)
		}
	}
}

// If one of several datagrams of a snapshot is lost, the client uses the others: their entities have the new state, all others
// keep theirs.
func TestNetcodeE2_OmittedEntitiesKeepTheirState(t *testing.T) {
	c := systemstest.New(t, splitField())
	ts := fieldtest.WatchServer(c)
	c.Connect()
	c.Run(2 * time.Second)
	k := c.Clients[0]
	lost := 0
	first := fieldtest.FirstOfSnapshot()
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
	before := fieldtest.Positions(k.World())
	tick := k.ServerTick()
	if !c.RunUntil(time.Second, func() bool { return k.ServerTick() > tick }) || lost != 1 {
		t.Fatalf("%d datagrams lost; snapshots should take several", lost)
	}
	now := k.ServerTick()
	mine, _ := k.Own(k.World())
	kept, moved, own := 0, 0, k.World().NetID(mine)
	for id, p := range fieldtest.Positions(k.World()) {
		switch {
		case id == own:
		case fieldtest.Distance(p, ts.At[now].Places[id]) <= fieldtest.Tolerance:
			moved++
		case p == before[id]:
			kept++
		default:
			t.Fatalf("entity %d stands at %v: neither where it was, %v, nor where the server has it, %v", id, p, before[id], ts.At[now].Places[id])
		}
	}
	if kept < 50 || moved < 50 {
		t.Errorf("%d entities kept their state, %d have the new one", kept, moved)
	}
	fieldtest.MustConverge(c)
}

// The guard room has posts that change hands: whoever owns one turns it and shoots.

// An entity without a client has the neutral input, on each peer and in each simulated tick.
func TestNetcodeOwner_WithoutClientNeutral(t *testing.T) {
	t.Parallel()
	fieldtest.EachModel(t, func(t *testing.T, p policy.Model, scope systems.Scope) {
		seen := 0
		config := fieldtest.GuardRoomConfig(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(w *ecs.World, x fieldtest.Post) {
			if x.Own.Client == 0 || x.Own.Client == fieldtest.Nobody {
				if seen++; *x.In != (fieldtest.Duty{Gear: 1}) {
					t.Errorf("tick %d: owner %d, input %+v", w.Tick(), x.Own.Client, *x.In)
				}
			}
		})
		config.Clients = 3
		c := systemstest.New(t, config)
		c.Run(8 * time.Second)
		fieldtest.ClientByID(c, 3).Leave()
		c.Run(14 * time.Second)
		kept := 0
		for _, x := range ecs.Each[fieldtest.Post](c.Server.World()) {
			if x.Own.Client == fieldtest.Departed {
				kept++
			}
			if x.Own.Client == fieldtest.Departed && (*x.In != (fieldtest.Duty{Gear: 1}) || x.Shots.All == 0 || x.Shots.All > 8*60) {
				t.Errorf("whose player has left has the input %+v, and shot %d times", *x.In, x.Shots.All)
			}
		}
		if kept != 1 {
			t.Errorf("%d posts are left of one", kept)
		}
		fieldtest.MustConverge(c)
		for _, x := range ecs.All[struct{ Shots fieldtest.Shots }](c.Server.World()) {
			if s := x.Shots; s.Stray != 0 {
				t.Errorf("%d of %d shots were nobody's", s.Stray, s.All)
			}
		}
		if seen < 300 {
			t.Errorf("a post without a client was seen %d times", seen)
		}
	})
}

// An entity that is given from its player to another one, or to nobody, costs at most one correction on the player's client.
// It then stands still there as on the server.
func TestNetcodeOwner_HandedOverOnce(t *testing.T) {
	t.Parallel()
	fieldtest.EachModel(t, func(t *testing.T, p policy.Model, scope systems.Scope) {
		c := fieldtest.Start(t, fieldtest.GuardRoomConfig(p, scope, netsys.Link{Latency: 50 * time.Millisecond}, func(*ecs.World, fieldtest.Post) {}), 0)
		k := fieldtest.ClientByID(c, 1)
		drawn, steady := math.NaN(), 0
		c.OnFrame(func(k *systemstest.Client) {
			tick := c.Server.Tick()
			if k.ID() != 1 {
				return
			}
			if tick < 300 || fieldtest.Handed(tick) == 1 || fieldtest.Handed(tick-60) == 1 || fieldtest.Handed(tick) != fieldtest.Handed(tick-60) {
				drawn = math.NaN()
				return
			}
			for _, x := range ecs.All[struct {
				Pos components.Position
				Own components.Owner
			}](k.View()) {
				if x.Pos.Y != 0 {
					continue
				}
				if at := float64(x.Pos.X); math.IsNaN(drawn) {
					drawn = at
				} else if steady++; at != drawn {
					t.Errorf("tick %d: drawn at %v, then at %v", tick, drawn, at)
					drawn = at
				}
			}
		})
		for c.Server.Tick() < 240 {
			c.RunTicks(1)
		}
		was := k.Stats()
		c.RunTicks(120 * len(fieldtest.Hands))
		st := k.Stats()
		if !policy.TraitsOf(p).RelaysInputs {
			if n := st.Corrections + st.CoCorrections - was.Corrections - was.CoCorrections; n > uint64(len(fieldtest.Hands)) {
				t.Errorf("%d corrections where it changed hands %d times", n, len(fieldtest.Hands))
			}
		}
		if steady < 300 {
			t.Errorf("%d frames in which it stands still", steady)
		}
	})
}
