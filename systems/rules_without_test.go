package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// splitField is a field whose snapshots take several datagrams: entities drift at
// a constant speed, and beside each stands one that moves by chance.
func splitField() systemstest.Config {
	config := onField(1, 1, lag(4))
	config.Populate = func(w *ecs.World) {
		for i := range 600 {
			w.Spawn(components.Position{X: float32(i % 40)}, Drift{Number: int32(i)})
		}
	}
	config.Protocol = fieldFrom(simulate("walk", walk), simulate("move", func(w *ecs.World) {
		for e, d := range ecs.Each[drifter](w) {
			if d.Do.Number%2 == 0 {
				d.Pos.X += inputLimit
				continue
			}
			r := w.Rand(e)
			d.Pos.X, d.Pos.Y = 100*r.Float32(), 100*r.Float32()
		}
	}))
	return config
}

// What a lost datagram omits keeps its last confirmed tick as well: what moves evenly is drawn
// on its line, at the tick that is drawn, through all that is lost.
func TestNetcodeE2_OmittedEntitiesKeepTheirTick(t *testing.T) {
	t.Parallel()
	config := splitField()
	config.Server.Channels.MinRate = 128 << 10 // losses of this path are no reason to send less
	c := match(t, config, 3*time.Second)
	r := ecs.NewRand(7, 7)
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && r.Float64() < 0.3 })
	c.Run(12 * time.Second) // until the delay covers the loss

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
	if n := c.Clients[0].Stats().Renewals; compared < 50_000 || n != 0 {
		t.Errorf("%d places compared; asked for full states %d times: losses are no reason", compared, n)
	}
	c.Lose(nil)
	rest(c)
}

// After a push a client is right again as soon as the first state that shows it
// has come and the inputs gathered since have been consumed: a round trip, the
// buffer's depth and a send gap.
func TestNetcodePush_RightAgainAfterARoundTrip(t *testing.T) {
	const from, rounds, oneWay, gap = 1200, 8, 15, 3
	config := onField(1, 4, lag(oneWay))
	config.Protocol = pushes(from)
	c := match(t, config, 10*time.Second)
	predicted := make([]map[uint32]components.Position, len(c.Clients)) // as first predicted, by input
	for n := range predicted {
		predicted[n] = map[uint32]components.Position{}
	}
	c.OnClientTick(func(k *systemstest.Client) { predicted[k.N][k.Input()] = place(k.World(), ownOf(k)) })
	wrong, last, lead := make([]int, len(c.Clients)), make([]int, len(c.Clients)), make([]int, len(c.Clients))
	c.OnServerTick(func() {
		for _, k := range c.Clients {
			lead[k.N] = max(lead[k.N], int(k.Input()-k.Status().LastInput)) // inputs gathered and not consumed
			if at, ok := predicted[k.N][k.Status().LastInput]; !ok || !near(at, place(c.Server.World(), own(c, k))) {
				wrong[k.N]++
				last[k.N] = int(c.Server.Tick()) // completed
			}
		}
	})
	for round := range rounds {
		push := from + round*pushEvery
		c.RunUntil(time.Minute, func() bool { return int(c.Server.Tick()) == push })
		clear(wrong)
		c.RunTicks(pushEvery - 1)
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

// Leaving a system out costs what it gives. Without Predict the own player answers after a round
// trip and a buffer; without Reconcile a wrong prediction stays wrong; without Interpolate others
// stand between snapshots and jump with them.
func TestNetcodePush_WithoutASystem(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"", "Predict", "Reconcile", "Interpolate"} {
		const pushed = 1680
		walking := false // everybody, from one moment on
		config := onField(1, 2, bad())
		config.Protocol = pushes(pushed)
		config.Play = systemstest.Play(func(_ *systemstest.Client, in *Walk) {
			if walking {
				in.DX = 1
			}
		})
		if system != "" {
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
			}
		}
		c := match(t, config, 15*time.Second)
		k, answer := c.Clients[0], 0
		walking = true
		for at := place(k.View(), drawnOwn(k)); place(k.View(), drawnOwn(k)) == at && answer < 200; answer++ {
			c.RunTicks(1)
		}
		if answer > 2 && system == "" || answer < 31 && system == "Predict" {
			t.Errorf("without %q the own player answers after %d ticks, a round trip is 30", system, answer)
		}

		c.Run(3 * time.Second)
		c.Mark()
		longest := 0.0
		watchFrames(c, func(k *systemstest.Client, was, now picture) {
			id := c.Server.World().NetID(own(c, c.Clients[1-k.N]))
			if c.Server.Tick() < pushed {
				longest = max(longest, apart(now.others[id], was.others[id]))
			}
		})
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == pushed-1 })
		stalls := c.Clients[0].Figures().Stalls + c.Clients[1].Figures().Stalls
		if system == "" && (stalls != 0 || longest > 1.05*inputLimit+2*tolerance) || system == "Interpolate" && (stalls < 600 || longest < 3*inputLimit-tolerance) {
			t.Errorf("without %q: %d stalls, others move by up to %.3f a frame, by the rules %.3f", system, stalls, longest, inputLimit)
		}

		c.RunTicks(pushEvery)
		c.Settle()
		off := 0.0
		for _, k := range c.Clients {
			off = max(off, apart(place(k.World(), ownOf(k)), place(c.Server.World(), own(c, k))))
		}
		if system == "" && off > tolerance || system == "Reconcile" && off < pushDistance-1 {
			t.Errorf("without %q a player that was pushed by %d stands %.3f off", system, pushDistance, off)
		}
	}
}

// Of a snapshot in several datagrams, one of which is lost, a client uses what
// came: the entities that it names have the new state, all others keep theirs.
func TestNetcodeE2_OmittedEntitiesKeepTheirState(t *testing.T) {
	c := systemstest.New(t, splitField())
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
	rest(c)
}

// The guard room has posts that change hands: whoever owns one turns it and shoots.

// Duty is an input whose neutral value is not all zero.
type Duty struct {
	Turn int8 `net:"-1..1"`
	Fire bool `net:"edge"`
	Gear int8 `net:"1..3"`
}

// Shots is how often a post has fired, and how often by whom nobody plays for.
type Shots struct {
	All, Stray uint16
}

type post struct {
	Own   *components.Owner
	Pos   *components.Position
	Shots *Shots
	In    *Duty
}

// nobody is a client number that is never given.
const nobody = 99

// hands are the owners of the post that changes them, each for two seconds.
var hands = []uint32{1, 0, 2, 1, nobody, 2, 0, 1, 2}

// handed is who owns that post from the end of a tick on; it changes from tick 240.
func handed(tick uint32) uint32 {
	return hands[(max(tick, 240)-240)/120%uint32(len(hands))]
}

// roving marks the post that changes hands.
type roving struct{}

// departed owns the posts of those who left.
const departed = 3000

// guardRoom is the field of these posts. told hears of each input that a post has in Simulate.
func guardRoom(told func(w *ecs.World, p post)) func() *ecs.Protocol {
	type passed struct {
		Own *components.Owner
		Is  *roving
	}
	return fieldOn[Duty](comes(func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{Y: float32(client)}, Shots{}, Duty{})
	}), func(p *ecs.Protocol) {
		ecs.ReplicateFields[Shots](p, ecs.Predicted, map[string]string{"All": "0..65535", "Stray": "0..65535"})
		ecs.Local[roving](p, 0)
		p.QuantizeSteps()
		p.Leave(func(w *ecs.World, client uint32) { // the posts of who leaves stay
			for _, r := range ecs.Each[struct{ Own *components.Owner }](w) {
				if r.Own.Client == client {
					r.Own.Client = departed
				}
			}
		})
	}, simulate("guard", func(w *ecs.World) {
		for _, x := range ecs.Each[post](w) {
			told(w, x)
			x.Pos.X += float32(x.In.Turn) * float32(x.In.Gear)
			if x.In.Fire {
				x.Shots.All++
				if x.Own.Client == 0 || x.Own.Client == nobody {
					x.Shots.Stray++
				}
			}
		}
	}), authority(func(w *ecs.World) {
		for _, x := range ecs.Each[passed](w) {
			x.Own.Client = handed(w.Tick())
		}
	}))
}

// onPosts is a match of two in the guard room, the first of whom always turns and shoots
// while the second does nothing; further ones do as the first.
func onPosts(p policy.Preset, scope systems.Scope, link netsys.Link, told func(w *ecs.World, p post)) systemstest.Config {
	return systemstest.Config{
		Protocol: guardRoom(told),
		Server: systems.ServerConfig{
			Policies: p.Policies(), TickRate: 60, SendRate: 20,
		},
		Populate: func(w *ecs.World) {
			w.Spawn(components.Owner{Client: 1}, components.Position{}, Shots{}, Duty{Turn: 1, Fire: true}, roving{})
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Scope: func(*ecs.World, ecs.Entity) systems.Scope { return scope }}
		},
		Play: systemstest.Play(func(k *systemstest.Client, in *Duty) {
			if k.ID() != 2 {
				in.Turn, in.Fire, in.Gear = int8(k.Input()/16%2)*2-1, true, 3
			}
		}),
		Clients: 2,
		Link:    link,
		Seed:    1,
	}
}

// eachModel runs a test under all models and, where that is a choice, both scopes.
func eachModel(t *testing.T, f func(t *testing.T, p policy.Preset, scope systems.Scope)) {
	for _, p := range policy.Presets() {
		for _, scope := range []systems.Scope{systems.ScopeOwn, systems.ScopeCoSimulated} {
			if scope != systems.ScopeOwn && p.Policies().Correction == policy.CorrectionInputs {
				continue
			}
			t.Run(fmt.Sprint(p, " ", scope), func(t *testing.T) { f(t, p, scope) })
		}
	}
}

// What has no client has the neutral input, on each peer and in each tick that is
// simulated, however often.
func TestNetcodeOwner_WithoutClientNeutral(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		seen := 0
		config := onPosts(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(w *ecs.World, x post) {
			if x.Own.Client == 0 || x.Own.Client == nobody {
				if seen++; *x.In != (Duty{Gear: 1}) {
					t.Errorf("tick %d: owner %d, input %+v", w.Tick(), x.Own.Client, *x.In)
				}
			}
		})
		config.Clients = 3
		c := systemstest.New(t, config)
		c.Run(8 * time.Second)
		client(c, 3).Leave()
		c.Run(14 * time.Second)
		kept := 0
		for _, x := range ecs.Each[post](c.Server.World()) {
			if x.Own.Client == departed {
				kept++
			}
			if x.Own.Client == departed && (*x.In != (Duty{Gear: 1}) || x.Shots.All == 0 || x.Shots.All > 8*60) {
				t.Errorf("whose player has left has the input %+v, and shot %d times", *x.In, x.Shots.All)
			}
		}
		if kept != 1 {
			t.Errorf("%d posts are left of one", kept)
		}
		rest(c)
		for _, x := range ecs.All[struct{ Shots Shots }](c.Server.World()) {
			if s := x.Shots; s.Stray != 0 {
				t.Errorf("%d of %d shots were nobody's", s.Stray, s.All)
			}
		}
		if seen < 300 {
			t.Errorf("a post without a client was seen %d times", seen)
		}
	})
}

// An entity that goes from its player to another, or to nobody, costs at most a correction
// on the player's client, and then stands still there as it does on the server.
func TestNetcodeOwner_HandedOverOnce(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		c := match(t, onPosts(p, scope, netsys.Link{Latency: 50 * time.Millisecond}, func(*ecs.World, post) {}), 0)
		k := client(c, 1)
		drawn, steady := math.NaN(), 0
		c.OnFrame(func(k *systemstest.Client) {
			tick := c.Server.Tick()
			if k.ID() != 1 {
				return
			}
			if tick < 300 || handed(tick) == 1 || handed(tick-60) == 1 || handed(tick) != handed(tick-60) {
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
		c.RunTicks(120 * len(hands))
		st := k.Stats()
		if p.Policies().Correction != policy.CorrectionInputs {
			if n := st.Corrections + st.CoCorrections - was.Corrections - was.CoCorrections; n > uint64(len(hands)) {
				t.Errorf("%d corrections where it changed hands %d times", n, len(hands))
			}
		}
		if steady < 300 {
			t.Errorf("%d frames in which it stands still", steady)
		}
	})
}
