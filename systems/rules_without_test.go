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
	rest(c)
}

// They keep their last confirmed tick as well: what moves evenly is drawn on its
// line, at the tick that is drawn, through all that is lost.
func TestNetcodeE2_OmittedEntitiesKeepTheirTick(t *testing.T) {
	config := splitField(2)
	config.Server.Channels.MinRate = 128 << 10 // losses of this path are no reason to send less
	c := match(t, config, 3*time.Second)
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
	rest(c)
}

// sight is what one client of a push test predicted and was told.
type sight struct {
	predicted map[uint32]components.Position // as first predicted, by input
	arrived   map[uint32]time.Duration       // own states by tick
	replays   map[uint32]uint64              // ticks simulated again, by the own state's tick
}

// watchSight notes what each client predicts and is told from now on.
func watchSight(c *systemstest.Crowd) []sight {
	seen := make([]sight, len(c.Clients))
	last := make([]uint64, len(c.Clients))
	for n := range seen {
		seen[n] = sight{map[uint32]components.Position{}, map[uint32]time.Duration{}, map[uint32]uint64{}}
		last[n] = c.Clients[n].Stats().Resimulated
	}
	c.OnClientTick(func(k *systemstest.Client) {
		s := &seen[k.N]
		if e, ok := k.Own(k.World()); ok {
			s.predicted[k.Input()] = place(k.World(), e)
		}
		if _, known := s.arrived[k.ConfirmedTick()]; !known {
			s.arrived[k.ConfirmedTick()] = c.Elapsed()
		}
		if now := k.Stats().Resimulated; now != last[k.N] {
			s.replays[k.ConfirmedTick()], last[k.N] = now-last[k.N], now
		}
	})
	return seen
}

// After a push a client is right again as soon as the first state that shows it
// has come and the inputs gathered since have been consumed: a round trip, the
// buffer's depth and a send gap; one gap more for each snapshot that the link lost
// or delayed.
func TestNetcodePush_RightAgainAfterARoundTrip(t *testing.T) {
	const (
		from, rounds = 1200, 8
		gap          = 3
		warm         = 900
	)
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 4, bad())
		config.Protocol = pushes(from)
		c := systemstest.New(t, config)
		ts := watchTruth(c)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == warm })
		seen := watchSight(c)
		lead := make([]int, len(c.Clients)) // inputs gathered and not consumed, at most
		c.OnServerTick(func() {
			for _, k := range c.Clients {
				lead[k.N] = max(lead[k.N], int(k.Input()-k.Status().LastInput))
			}
		})
		c.Mark()
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from+rounds*pushEvery-1 })
		c.NothingMissing()
		oneWay := int(config.Link.Latency / ticks(1))
		for _, k := range c.Clients {
			s := seen[k.N]
			depth := lead[k.N] - oneWay
			for round := range rounds {
				push := uint32(from + round*pushEvery)
				skipped := overtaken(s, push, config.Link.Latency)
				bound := 2*oneWay + depth + gap + 1 + gap*skipped
				wrong, last := 0, uint32(0)
				for tick := push + 1; tick < push+pushEvery; tick++ {
					tr := ts.at[tick]
					first, ok := s.predicted[tr.inputs[k.N]]
					if !ok {
						t.Fatalf("%v: no prediction after input %d", k, tr.inputs[k.N])
					}
					if !near(first, tr.places[k.World().NetID(ownOf(k))]) {
						wrong++
						last = tick
					}
				}
				if wrong < 2*oneWay {
					t.Errorf("%v: wrong for %d ticks after the push in tick %d: it cannot know before a round trip", k, wrong, push)
				}
				if got := int(last - push); got > bound {
					t.Errorf("%v: wrong until %d ticks after the push in tick %d, want %d at most (depth %d, %d snapshots lost or late)",
						k, got, push, bound, depth, skipped)
				}
			}
			if f := k.Figures(); f.Corrections != rounds {
				t.Errorf("%v: %d corrections of %d pushes", k, f.Corrections, rounds)
			}
			for tick, n := range s.replays {
				// What this snapshot took beyond the mean is part of its round trip.
				down := s.arrived[tick] - ticks(int(tick-1))
				if most := int(math.Ceil(float64(down)/float64(ticks(1)))) + oneWay + depth + 1; int(n) > most {
					t.Errorf("%v: the state of tick %d came %v later and cost %d ticks, want %d at most", k, tick, down, n, most)
				}
			}
		}
	})
}

// overtaken is how many snapshots after a push came later than the mean, or never,
// before one that did not.
func overtaken(s sight, push uint32, mean time.Duration) int {
	n := 0
	for tick := (push/3 + 1) * 3; ; tick += 3 {
		// A client looks at what came once a tick.
		if at, ok := s.arrived[tick]; ok && at <= ticks(int(tick-1))+mean+ticks(1) || n > 20 {
			return n
		}
		n++
	}
}

// without is the push test's crowd with a system of the clients left out.
func without(t *testing.T, seed uint64, system string) *systemstest.Crowd {
	config := onField(seed, 3, bad())
	config.Protocol = pushes(1200)
	if system != "" {
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
		}
	}
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
	c.Mark()
	return c
}

// answer is after how many ticks a client's own place first shows an input.
func answer(c *systemstest.Crowd) int {
	k := c.Clients[0]
	start, at := k.Input(), place(k.View(), drawnOwn(k))
	for n := range 200 {
		c.RunTicks(1)
		if place(k.View(), drawnOwn(k)) != at {
			return n
		}
		if k.Input() > start+200 {
			break
		}
	}
	return math.MaxInt
}

// Leaving a system out costs what it gives. Without Predict the own player answers
// after a round trip and a buffer.
func TestNetcodePush_WithoutPredict(t *testing.T) {
	play := func(system string) int {
		// Everybody stands until one moment and walks from then on.
		walking := false
		config := onField(1, 1, bad())
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
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
		walking = true
		return answer(c)
	}
	if n := play(""); n > 1 {
		t.Errorf("the own player answers after %d ticks", n)
	}
	if n := play("Predict"); n < 30 {
		t.Errorf("without Predict the own player answers after %d ticks, a round trip is 30", n)
	}
}

// Without Reconcile a wrong prediction stays wrong.
func TestNetcodePush_WithoutReconcile(t *testing.T) {
	off := func(system string) float64 {
		c := without(t, 1, system)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 1200+pushEvery-1 })
		c.Settle()
		worst := 0.0
		for _, k := range c.Clients {
			worst = max(worst, apart(place(k.World(), ownOf(k)), place(c.Server.World(), own(c, k))))
		}
		return worst
	}
	if d := off(""); d > tolerance {
		t.Errorf("with all systems a player stands %.3f off, after all is quiet", d)
	}
	if d := off("Reconcile"); d < pushDistance-1 {
		t.Errorf("without Reconcile a player that was pushed by %d stands %.3f off", pushDistance, d)
	}
}

// Without Interpolate others stand between snapshots and jump with them.
func TestNetcodePush_WithoutInterpolate(t *testing.T) {
	play := func(system string) (stalls uint64, longest float64) {
		config := onField(1, 2, bad())
		config.Play = straight()
		if system != "" {
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove(system) }}
			}
		}
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
		c.Mark()
		last := make([]components.Position, len(c.Clients))
		c.OnFrame(func(k *systemstest.Client) {
			other := c.Clients[1-k.N]
			e, _ := k.View().ByNetID(c.Server.World().NetID(own(c, other)))
			p := place(k.View(), e)
			if last[k.N] != (components.Position{}) {
				longest = max(longest, apart(p, last[k.N]))
			}
			last[k.N] = p
		})
		c.RunTicks(600)
		for _, k := range c.Clients {
			stalls += k.Figures().Stalls
		}
		return stalls, longest
	}
	if stalls, longest := play(""); stalls != 0 || longest > 1.05*inputLimit+2*tolerance {
		t.Errorf("%d stalls, others move by up to %.3f a frame, by the rules %.3f", stalls, longest, inputLimit)
	}
	if stalls, longest := play("Interpolate"); stalls < 600 || longest < 3*inputLimit-tolerance {
		t.Errorf("without Interpolate: %d stalls in 1200 frames, others move by up to %.3f a frame", stalls, longest)
	}
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

// guardRoom is the protocol. told hears of each input that a post has in Simulate.
func guardRoom(told func(w *ecs.World, p post)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("guard room/1")
		ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
		ecs.ReplicateFields[Shots](p, ecs.Predicted, map[string]string{"All": "0..65535", "Stray": "0..65535"})
		ecs.Local[roving](p, 0)
		ecs.Input[Duty](p)
		p.QuantizeSteps()
		p.Simulate("guard", func(w *ecs.World) {
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
		})
		p.Authority("pass", func(w *ecs.World) {
			for _, x := range ecs.Each[struct {
				Own *components.Owner
				Is  *roving
			}](w) {
				x.Own.Client = handed(w.Tick())
			}
		})
		return p
	}
}

// onPosts is a match of two in the guard room, the first of whom always turns and shoots
// while the second does nothing; further ones do as the first.
func onPosts(p policy.Preset, scope systems.Scope, link netsys.Link, told func(w *ecs.World, p post)) systemstest.Config {
	return systemstest.Config{
		Protocol: guardRoom(told),
		Server: systems.ServerConfig{
			Policies: p.Policies(), TickRate: 60, SendRate: 20,
			Join: func(w *ecs.World, client uint32) {
				w.Spawn(components.Owner{Client: client}, components.Position{Y: float32(client)}, Shots{}, Duty{})
			},
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
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		seen := 0
		config := onPosts(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(w *ecs.World, x post) {
			if x.Own.Client == 0 || x.Own.Client == nobody {
				if seen++; *x.In != (Duty{Gear: 1}) {
					t.Errorf("tick %d: owner %d, input %+v", w.Tick(), x.Own.Client, *x.In)
				}
			}
		})
		config.Clients, config.Server.LeavePolicy = 3, systems.KeepOwned
		c := systemstest.New(t, config)
		c.Run(8 * time.Second)
		client(c, 3).Leave()
		c.Run(14 * time.Second)
		for _, x := range ecs.Each[post](c.Server.World()) {
			if x.Own.Client == 3 && (*x.In != (Duty{Gear: 1}) || x.Shots.All == 0 || x.Shots.All > 8*60) {
				t.Errorf("whose player has left has the input %+v, and shot %d times", *x.In, x.Shots.All)
			}
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
		c.RunTicks(2 * 120 * len(hands))
		st := k.Stats()
		if p.Policies().Correction != policy.CorrectionInputs {
			if n := st.Corrections + st.CoCorrections - was.Corrections - was.CoCorrections; n > uint64(2*len(hands)) {
				t.Errorf("%d corrections where it changed hands %d times", n, 2*len(hands))
			}
		}
		if steady < 300 {
			t.Errorf("%d frames in which it stands still", steady)
		}
	})
}
