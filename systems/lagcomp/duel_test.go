package lagcomp_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// bout returns how many seconds a duel takes.
func bout() int {
	if race.Enabled {
		return 10
	}
	if fieldtest.Long() {
		return 20
	}
	return 12
}

// dull reports whether too little happened in a bout to tell anything.
func (n *toll) dull() bool {
	return n.judged < 25*bout() || n.hits < 10*bout() || n.destroyed < bout()/4
}

// Every shot that hits on the shooter's screen hits the same target on the server, and no miss hits, on any link and at any
// rate of ticks and sends. The server evaluates bit for bit what the screen showed, including targets that were destroyed
// since. Without compensation the results differ. If own entities are mispredicted, or an input applies later than it was
// gathered, the shot starts elsewhere than on the screen, but its targets are where they were. Damped entities are on their
// way to the claimed state.
func TestNetcodeE5_TheDuel(t *testing.T) {
	t.Parallel()
	still := systemstest.RoundTrip(200*time.Millisecond, 0, 0)
	for n, c := range fieldtest.Rows(5, []struct {
		name    string
		link    netsys.Link
		seeds   int
		server  systems.ServerConfig
		differs bool    // targets may stand elsewhere than they were
		wrong   float64 // share of the shots that may end otherwise
	}{
		{"200ms,30ms,5%", fieldtest.RoughLink(), 2, systems.ServerConfig{}, false, 0},
		{"woken 20 times a second", fieldtest.RoughLink(), 1, systems.ServerConfig{WakeEvery: 3}, false, 0},
		{"at arrival", still, 1, systems.ServerConfig{Model: policy.LocalSync{Arrival: true}}, false, 0},
		{"ServerRewind", fieldtest.RoughLink(), 1, systems.ServerConfig{Model: policy.ServerRewind{}}, false, 0.12},
		{"Buffered", fieldtest.RoughLink(), 1, systems.ServerConfig{Model: policy.Buffered{}}, true, 0.12},
		{"no latency", netsys.Link{}, 1, systems.ServerConfig{}, false, 0},
		{"200ms", still, 1, systems.ServerConfig{}, false, 0},
		{"60 sends", fieldtest.RoughLink(), 1, systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 60}}, false, 0},
		{"CorrectOnMismatch", fieldtest.RoughLink(), 1, systems.ServerConfig{Model: policy.CorrectOnMismatch{}}, false, 0},
		{"at arrival, rough", fieldtest.RoughLink(), 1, systems.ServerConfig{Model: policy.LocalSync{Arrival: true}}, false, 0.05},
	}) {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(c.seeds), func(t *testing.T, seed uint64) {
				play := func(l lagcomp.Config) (*duel, toll) {
					config := yardConfig(seed, c.link, l)
					c.server.LagComp = config.Server.LagComp
					config.Server = c.server
					d := newDuel(t, config, nil)
					return d, d.fight(bout())
				}
				d, all := play(lagcomp.Config{})
				t.Logf("%+v", all)
				if all.dull() || all.clamped > 0 || !c.differs && all.differ > 0 || float64(all.wrong()) > c.wrong*float64(all.judged) {
					t.Errorf("%+v", all)
					for s := range d.log.All() {
						if !s.Hit || s.Clamp != lagcomp.Believed {
							t.Logf("%+v", s)
						}
					}
				}
				if stats := d.Server.LagComp().Stats(); c.wrong == 0 && stats.Ahead+stats.Old+stats.Backwards+stats.Unsent+stats.Unclaimed > 0 {
					t.Errorf("%+v", stats)
				}
				if seed > 1 || c.wrong > 0 || n > 0 && !fieldtest.Long() {
					return
				}
				if _, off := play(lagcomp.Config{Off: true}); off.refused < off.hits/2 || off.granted == 0 || off.other == 0 {
					t.Errorf("without compensation: %+v", off)
				}
			})
		})
	}
}

// Making and evaluating claims in every tick allocates nothing.
func TestLagCompAllocatesNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
	config.CountOnly = true
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
		in.DX, in.Fire = int8(k.Input()/40%3)-1, true
		in.Seen = k.Claim(true)
	})
	c := systemstest.New(t, config)
	views := 0
	judge := referee(func(w *ecs.World) {
		for _, p := range ecs.Each[yardShooter](w) {
			aimed(lagcomp.As(w, p.Own.Client, p.In.Seen), p.Own.Client, 1)
			views++
		}
	})
	ecs.SetResource(c.Server.World(), &judge)
	c.Connect()
	c.Run(20 * time.Second)
	views = 0
	fieldtest.AllocatesNothing(t, c, 300)
	if views < 3*600 {
		t.Errorf("%d views in 600 ticks", views)
	}
}

// A claim travels in few bytes, and while there is nothing to claim in none.
func TestNetcodeE5_BytesOfClaims(t *testing.T) {
	t.Parallel()
	perInput := func(rate int, claims func(k *systemstest.Client, fire bool) lagcomp.Claim) float64 {
		config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
		config.Server.Snapshots.SendRate = rate
		config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
			in.Fire = k.Input()%30 == 0
			in.Seen = claims(k, in.Fire)
		})
		c := fieldtest.Start(t, config, 5*time.Second)
		before := c.Clients[0].Stats()
		c.Run(10 * time.Second)
		after := c.Clients[0].Stats()
		return float64(after.InputBytes-before.InputBytes) / float64(after.Inputs-before.Inputs)
	}
	for rate, most := range map[int]float64{20: 17, 60: 21} { // the two states of a claim change more often if there are more of them
		without := perInput(rate, func(*systemstest.Client, bool) lagcomp.Claim { return lagcomp.Claim{} })
		shots := perInput(rate, func(k *systemstest.Client, fire bool) lagcomp.Claim { return k.Claim(fire) })
		each := perInput(rate, func(k *systemstest.Client, _ bool) lagcomp.Claim { return k.Claim(true) })
		t.Logf("at %d snapshots a second a message takes %.1f bytes without claims, %.1f with two a second, %.1f with one a tick", rate, without, shots, each)
		if shots > without+2 || each > without+most {
			t.Errorf("at %d snapshots a second a message takes %.1f bytes without claims, %.1f with two a second, %.1f with one a tick", rate, without, shots, each)
		}
	}
}

// A rule that evaluates views in every tick never sees further back than the player, whatever the client claims between shots.
// With a claim in every input, all views show the claimed moment.
func TestNetcodeE5_ARuleThatLooksInEveryTick(t *testing.T) {
	for name, always := range map[string]bool{"claims with shots": false, "claims in every input": true} {
		t.Run(name, func(t *testing.T) {
			config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
			config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
				in.Fire = k.Input()%60 == 0
				if in.Seen = k.Claim(in.Fire); always {
					in.Seen = k.Claim(true) // a rule looks in every tick
				}
			})
			c := systemstest.New(t, config)
			oldest := 0.0
			judge := referee(func(w *ecs.World) {
				for _, p := range ecs.Each[yardShooter](w) {
					view := lagcomp.As(w, p.Own.Client, p.In.Seen)
					oldest = max(oldest, float64(w.Tick())-view.Tick())
				}
			})
			ecs.SetResource(c.Server.World(), &judge)
			c.Connect()
			c.Run(5 * time.Second)
			before := c.Server.LagComp().Stats()
			c.Run(5 * time.Second)
			n := c.Server.LagComp().Stats()
			if views := n.Views - before.Views; views < 800 || always && n.Unclaimed > before.Unclaimed || !always && n.Unclaimed-before.Unclaimed < views/2 {
				t.Errorf("%+v, before %+v", n, before)
			}
			if n.Old+n.Backwards+n.Ahead > 0 || oldest < 10 || oldest > 50 {
				t.Errorf("the oldest view was %.1f ticks old; %+v", oldest, n)
			}
		})
	}
}

// forger is a bot that knows all of the server's world at any time, and shoots at one
// victim where that was at a moment of its choice.
type forger struct {
	d      *duel
	victim components.NetID
	truth  map[uint32]Stance // where the victim was, by tick
	moment func(now uint32, k *systemstest.Client) uint32
	claims func(m uint32) uint32 // what it says of that moment
	log    bytes.Buffer          // the server's
}

// lie aims at the victim's position at the tick that moment returns, and claims the tick that claims returns.
func (f *forger) lie(d *duel, k *systemstest.Client, in *Rifle) {
	if k.N != 0 || !in.Fire {
		return
	}
	m := f.moment(d.Server.Tick(), k)
	own, ok := k.Own(k.View())
	at, known := f.truth[m]
	if !ok || !known {
		in.Fire = false
		return
	}
	me := ecs.Get[Stance](k.View(), own)
	in.Aim = float32(math.Atan2(float64(at.Y-me.Y), float64(at.X-me.X)))
	in.Seen = lagcomp.NewClaim(float64(f.claims(m)), 0, 0, 3)
}

// rob plays a duel with a forger among honest players. Its target moves in one direction, far away from all others, and cannot
// be destroyed.
func (f *forger) rob(t *testing.T, seed uint64) {
	f.truth = map[uint32]Stance{}
	config := yardConfig(seed, fieldtest.RoughLink(), lagcomp.Config{})
	config.Populate = func(w *ecs.World) {
		dummies(4)(w)
		f.victim = w.NetID(w.Spawn(Stance{X: -50, Y: 60}, Body{}, Armor{}))
	}
	config.Server.Logger = slog.New(slog.NewTextHandler(&f.log, nil))
	f.d = newDuel(t, config, f.lie)
	f.d.OnServerTick(func() {
		w := f.d.Server.World()
		e, _ := w.ByNetID(f.victim)
		at := ecs.Get[Stance](w, e)
		f.truth[f.d.Server.Tick()] = *at
		if at.X += 0.25; at.X > 50 {
			at.X = -50
		}
	})
	f.d.fight(bout())
}

// A bot forges its claims. The server clamps a claim older than the bound, so a shot at an older position of the victim
// misses. The server also clamps a claim of a future tick to the newest state that the bot has received. A forged claim
// within the bounds hits, as it would for an honest client. The shots of other players are unaffected.
func TestNetcodeE5_AForgerGainsNothing(t *testing.T) {
	t.Parallel()
	const bound = 75 // ticks
	ago := func(ticks uint32) func(uint32, *systemstest.Client) uint32 {
		return func(now uint32, _ *systemstest.Client) uint32 { return now - min(now, ticks) }
	}
	truly := func(m uint32) uint32 { return m }
	for _, c := range fieldtest.Rows(3, []struct {
		name   string
		moment func(now uint32, k *systemstest.Client) uint32
		claims func(m uint32) uint32
		clamp  lagcomp.Clamp
		hits   [2]float64 // share of the lies that hit: at least, at most
	}{
		{"within the bound", ago(20), truly, lagcomp.Believed, [2]float64{0.75, 1}},
		{"before the bound", ago(110), truly, lagcomp.Old, [2]float64{0, 0}},
		{"what is to come", ago(0), func(m uint32) uint32 { return m + 60 }, lagcomp.Ahead, [2]float64{0, 1}},
		{"the newest that it has", func(_ uint32, k *systemstest.Client) uint32 { return k.ServerTick() }, truly, lagcomp.Believed, [2]float64{0.75, 1}},
		{"long ago", ago(200), truly, lagcomp.Old, [2]float64{0, 0}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
				f := &forger{moment: c.moment, claims: c.claims}
				f.rob(t, seed)
				bot := f.d.Clients[0].ID()
				lies, hits, oldest := 0, 0, uint32(0)
				for key, s := range f.d.shots {
					if !s.judged || key.client != bot {
						continue
					}
					lies++
					if s.server == f.victim {
						hits++
					}
					oldest = max(oldest, s.tick-s.oldest)
					if s.clamp != c.clamp || s.drawn > float64(s.has) || float64(s.tick)-s.drawn > bound {
						t.Errorf("tick %d: a view of tick %.2f of a client that has %d, %v", s.tick, s.drawn, s.has, s.clamp)
					}
				}
				warned := 0
				if c.clamp != lagcomp.Believed {
					warned = 1
				}
				if n := strings.Count(f.log.String(), "lag compensation"); n != warned {
					t.Errorf("%d warnings, want %d about the forger: %s", n, warned, f.log.String())
				}
				honest := f.d.count(func(k shotKey) bool { return k.client != bot })
				t.Logf("%d of %d lies hit, oldest state %d ticks; beside it %+v", hits, lies, oldest, honest)
				if share := float64(hits) / float64(lies); lies < 7*bout() || oldest > bound || share < c.hits[0] || share > c.hits[1] {
					t.Errorf("%d of %d lies hit, oldest state %d ticks", hits, lies, oldest)
				}
				if honest.judged < 15*bout() || honest.wrong()+honest.differ+honest.clamped > 0 {
					t.Errorf("beside the forger: %+v", honest)
				}
			})
		})
	}
}

// The state of a client is removed when the client leaves, but not while its seat is reserved. The counters stay.
func TestNetcodeE5_WhoLeavesIsForgotten(t *testing.T) {
	config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
	config.Server.Players.ReconnectWindow, config.Server.Session.Timeout = 2*time.Second, time.Second
	d := newDuel(t, config, nil)
	d.fight(3)
	comp, id := d.Server.LagComp(), d.Clients[0].ID()
	before := comp.StatsOf(id).Views
	d.Clients[0].Kill()
	d.Run(2 * time.Second)
	if n := comp.StatsOf(id).Views; n < before || n == 0 {
		t.Errorf("%d views of a player that is waited for, it had %d", n, before)
	}
	all := comp.Stats().Views
	d.Run(3 * time.Second)
	if n := comp.StatsOf(id).Views; n != 0 {
		t.Errorf("%d views are known of a client that is gone", n)
	}
	if n := comp.Stats().Views; n < all {
		t.Errorf("%d views in all, there were %d", n, all)
	}
}

// A client that draws no other players claims nothing. A client that draws the newest received state claims that state.
func TestClaimsWithoutInterpolate(t *testing.T) {
	config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
	config.Clients = 2
	config.Client = func(n int) systems.ClientConfig {
		if n == 0 {
			return systems.ClientConfig{}
		}
		return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error { return s.Remove("Interpolate") }}
	}
	d := newDuel(t, config, nil)
	for _, k := range d.Clients {
		if k.Claim(true).Made() {
			t.Error("a claim before there is a connection")
		}
	}
	d.Connect()
	d.Run(4 * time.Second)
	k := d.Clients[1]
	if c, newest := k.Claim(true), k.ServerTick(); c != lagcomp.NewClaim(float64(newest), newest, 0, 1) || !c.Made() {
		t.Errorf("%+v at tick %d", c, newest)
	}
	d.Run(time.Second)
	if c := k.Claim(false); c.Made() {
		t.Errorf("nothing is claimed, and the claim is %+v", c)
	}
}

// Claim may be called in a frame between two ticks without changing what is sent.
func TestClaimsOfFramesAreNotSent(t *testing.T) {
	sent := func(ask bool) (claims []lagcomp.Claim, asked int) {
		config := yardConfig(1, fieldtest.RoughLink(), lagcomp.Config{})
		config.FrameRate = 144
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{
				Gather: systems.Gather(func(c *systems.Client, in *Rifle) {
					in.Fire = c.Input()%30 == 0
					in.Seen = c.Claim(in.Fire)
					claims = append(claims, in.Seen)
				}),
				Prediction: systems.Prediction{Partial: systems.Gather(func(c *systems.Client, in *Rifle) {
					if asked++; ask {
						in.Seen = c.Claim(true)
					}
				})},
			}
		}
		config.Clients = 1
		fieldtest.Start(t, config, 5*time.Second)
		return claims, asked
	}
	without, _ := sent(false)
	with, asked := sent(true)
	if asked < 300 || !slices.Equal(with, without) || !slices.ContainsFunc(with, lagcomp.Claim.Made) {
		t.Errorf("%d claims where %d frames asked, %d where none did; the same: %v", len(with), asked, len(without), slices.Equal(with, without))
	}
}

func TestLagCompIsChecked(t *testing.T) {
	for name, c := range map[string]systems.ServerConfig{
		"a negative rewind": {LagComp: &lagcomp.Config{MaxRewind: -1}},
		"another send rate": {Snapshots: systems.Snapshots{SendRate: 30}, LagComp: &lagcomp.Config{SendRate: 20}},
	} {
		if err := c.Validate(); !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []systems.ServerConfig{
		{LagComp: &lagcomp.Config{}},
		{Snapshots: systems.Snapshots{SendRate: 30}, LagComp: &lagcomp.Config{SendRate: 30, Off: true}},
		{Model: policy.ServerRewind{}, LagComp: &lagcomp.Config{MaxRewind: time.Second}},
		{Model: policy.Rollback{}, LagComp: &lagcomp.Config{}},
	} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, model := range []policy.Model{policy.LocalSync{}, policy.Lockstep{}} {
		node := netsys.NewNetwork().Node(netip.AddrPort{})
		s, err := systems.NewServer(node, yard(), systems.ServerConfig{Model: model, LagComp: &lagcomp.Config{}})
		if err != nil {
			t.Fatal(err)
		}
		if s.LagComp() != ecs.Resource[lagcomp.Compensator](s.World()) || (s.LagComp() != nil) != policy.Is[policy.LocalSync](model) {
			t.Errorf("%v: %v", model, s.LagComp())
		}
	}
}

// The yard is the world of the duels: players walk, and shoot at each other and at
// dummies that zigzag. What is hit three times is destroyed, and another one comes.

// Stance is a position.
type Stance struct {
	X, Y float32 `net:"-64..64 step 0.001"`
}

// Body counts hits.
type Body struct {
	Hits uint8 `net:"0..3"`
}

// Rifle is the input. Shot numbers the shots.
type Rifle struct {
	DX, DY int8    `net:"-1..1"`
	Fire   bool    `net:"edge"`
	Aim    float32 `net:"raw"`
	Shot   uint16  `net:"raw"`
	Seen   lagcomp.Claim
}

// Course is how a dummy goes.
type Course struct {
	Phase  uint32
	DX, DY float32 // units in a tick
}

// referee decides about the shots of a tick, on the server.
type referee func(w *ecs.World)

// Armor makes an entity indestructible.
type Armor struct{}

// radius is that of a body, and stride how far a player walks in a tick.
const (
	radius = 0.5
	stride = 0.1
)

type yardShooter struct {
	At  *Stance
	Own *components.Owner
	In  *Rifle
}

// yardTarget is a body that shots can hit.
type yardTarget struct {
	At   Stance
	Body Body
	Own  components.Owner `ecs:"optional"`
}

func yard() *ecs.Protocol {
	p := ecs.NewProtocol("yard/1")
	ecs.Replicate[Stance](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Body](p, 0)
	ecs.Input[Rifle](p)
	fieldtest.OnJoin(joinYard)(p)
	ecs.Local[Course](p, 0)
	ecs.Local[Armor](p, 0)
	p.Simulate("fire", func(w *ecs.World) {
		if judge := ecs.Resource[referee](w); judge != nil {
			(*judge)(w)
		}
	})
	p.Simulate("stroll", func(w *ecs.World) {
		for _, s := range ecs.Each[yardShooter](w) {
			s.At.X = min(max(s.At.X+float32(s.In.DX)*stride, -20), 20)
			s.At.Y = min(max(s.At.Y+float32(s.In.DY)*stride, -20), 20)
		}
	})
	p.Authority("zigzag", func(w *ecs.World) {
		for _, d := range ecs.Each[struct {
			At *Stance
			Do *Course
		}](w) {
			if (w.Tick()+d.Do.Phase)%40 < 20 {
				d.At.X, d.At.Y = d.At.X+d.Do.DX, d.At.Y+d.Do.DY
			} else {
				d.At.X, d.At.Y = d.At.X-d.Do.DX, d.At.Y+d.Do.DY/4
			}
			if d.At.Y > 20 {
				d.At.Y = -20
			}
		}
	})
	return p
}

func joinYard(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, Stance{X: float32(client)}, Body{}, Rifle{})
}

func dummies(n int) func(*ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			a := float64(i) * 2.4
			w.Spawn(Stance{X: float32(i%7)*5 - 15, Y: float32(i/7)*6 - 15}, Body{},
				Course{Phase: uint32(13 * i), DX: float32(math.Cos(a)) / 8, DY: float32(math.Sin(a)) / 8})
		}
	}
}

// aimed returns the entity that a shot hits in a view: the first one along its way, or 0 for none.
func aimed(v lagcomp.View, client uint32, aim float32) (hit components.NetID) {
	var from Stance
	for _, m := range lagcomp.All[yardTarget](v) {
		if m.Own.Client == client {
			from = m.At
		}
	}
	dx, dy := math.Cos(float64(aim)), math.Sin(float64(aim))
	nearest := math.Inf(1)
	for e, m := range lagcomp.All[yardTarget](v) {
		x, y := float64(m.At.X-from.X), float64(m.At.Y-from.Y)
		along, aside := x*dx+y*dy, math.Abs(y*dx-x*dy)
		if m.Own.Client != client && along > 0 && aside < radius && along < nearest {
			nearest, hit = along, v.NetID(e)
		}
	}
	return hit
}

// shot is the result of a shot on the screen and on the server.
type shot struct {
	by             components.NetID // the shooter's body
	screen, server components.NetID
	seen           map[components.NetID]Stance // on the screen, without the shooter's own
	judged         bool
	gone           bool // what was hit on the server was destroyed by then
	clamp          lagcomp.Clamp
	drawn          float64
	oldest         uint32 // state that was looked at
	tick           uint32 // in which it was judged
	has            uint32 // newest tick whose state its client had by then
	differ         int    // of those seen, how many stand elsewhere in the view
}

type shotKey struct {
	client uint32
	number uint16
}

// duel is a match in the yard. It also judges the shots.
type duel struct {
	*systemstest.Crowd
	shots  map[shotKey]*shot
	number uint16
	log    *lagcomp.Log[Stance]
	killed int
}

// yardConfig returns a match in the yard. Own players are drawn where they are simulated, so that shots start where the screen
// shows them.
func yardConfig(seed uint64, link netsys.Link, c lagcomp.Config) systemstest.Config {
	return systemstest.Config{
		Protocol: yard, Server: systems.ServerConfig{LagComp: &c},
		Populate: dummies(12), Clients: 3, Link: link, Seed: seed,
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Prediction: systems.Prediction{Smoothing: interpolate.Smoothing{Off: true}}}
		},
	}
}

// newDuel returns a match in which everybody shoots roughly at entities on the screen. forge, if not nil, changes the inputs.
func newDuel(t *testing.T, config systemstest.Config, forge func(d *duel, k *systemstest.Client, in *Rifle)) *duel {
	d := &duel{shots: map[shotKey]*shot{}, log: lagcomp.NewLog[Stance](256)}
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
		in.DX, in.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		in.Fire = k.Input()%6 == 0
		in.Seen = k.Claim(in.Fire)
		if in.Fire {
			d.shoot(k, in)
		}
		if forge != nil {
			forge(d, k, in)
		}
	})
	d.Crowd = systemstest.New(t, config)
	judge := referee(d.judge)
	ecs.SetResource(d.Server.World(), &judge)
	return d
}

// shoot aims at one of the entities on the screen, and records the screen.
func (d *duel) shoot(k *systemstest.Client, in *Rifle) {
	view := k.View()
	own, ok := k.Own(view)
	if !ok || !in.Seen.Made() {
		in.Fire = false
		return
	}
	me, s := *ecs.Get[Stance](view, own), &shot{by: view.NetID(own), seen: map[components.NetID]Stance{}}
	at, pick := me, k.Rand().IntN(12)
	for e, m := range ecs.All[yardTarget](view) {
		if m.Own.Client == k.ID() {
			continue
		}
		if pick--; pick >= 0 || at == me {
			at = m.At
		}
		s.seen[view.NetID(e)] = m.At
	}
	in.Aim = float32(math.Atan2(float64(at.Y-me.Y), float64(at.X-me.X)) + (k.Rand().Float64()-0.5)/6)
	d.number++
	in.Shot = d.number
	s.screen = aimed(lagcomp.Of(view), k.ID(), in.Aim)
	d.shots[shotKey{k.ID(), in.Shot}] = s
}

// judge decides about the shots of a tick.
func (d *duel) judge(w *ecs.World) {
	for e, p := range ecs.Each[yardShooter](w) {
		s := d.shots[shotKey{p.Own.Client, p.In.Shot}]
		if !p.In.Fire || s == nil || s.by != w.NetID(e) {
			continue // or the shooter was destroyed before the server came to this shot
		}
		view := lagcomp.As(w, p.Own.Client, p.In.Seen)
		s.judged, s.clamp, s.drawn, s.tick = true, view.Clamp(), view.Tick(), w.Tick()
		s.oldest, _ = view.States()
		s.has = d.client(p.Own.Client).ServerTick()
		s.server = aimed(view, p.Own.Client, p.In.Aim)
		others := 0
		s.differ = 0
		for e, m := range lagcomp.All[yardTarget](view) {
			if m.Own.Client == p.Own.Client {
				continue
			}
			others++
			if at, ok := s.seen[view.NetID(e)]; !ok || at != m.At {
				s.differ++
			}
		}
		s.differ += max(len(s.seen)-others, 0)
		if e, ok := view.ByNetID(s.screen); ok {
			d.log.Note(view, e, s.server == s.screen)
		}
		if e, ok := view.ByNetID(s.server); ok {
			s.gone = !w.Alive(e)
			d.hit(w, e)
		}
	}
}

func (d *duel) client(id uint32) *systemstest.Client {
	return d.Clients[slices.IndexFunc(d.Clients, func(k *systemstest.Client) bool { return k.ID() == id })]
}

// hit counts a hit, and destroys an entity after enough hits.
func (d *duel) hit(w *ecs.World, e ecs.Entity) {
	b := ecs.Get[Body](w, e)
	if b == nil || ecs.Has[Armor](w, e) {
		return
	}
	if b.Hits++; b.Hits < 3 {
		return
	}
	b.Hits = 0
	w.Despawn(e)
	d.killed++
	at := Stance{X: float32(d.killed%9)*4 - 16, Y: float32(d.killed%7)*5 - 15}
	if c := ecs.Get[Course](w, e); c != nil {
		w.Spawn(at, Body{}, *c)
	} else {
		w.Spawn(*ecs.Get[components.Owner](w, e), at, Body{}, Rifle{})
	}
}

// toll is how the shots of a duel ended.
type toll struct {
	judged, hits, destroyed int // hits on the screen, and of what was destroyed by then
	refused, granted, other int // hits and misses on the screen that were none, and others hit
	differ, clamped         int
}

func (n *toll) wrong() int { return n.refused + n.granted + n.other }

// fight plays for some seconds after the warm-up, and counts.
func (d *duel) fight(seconds int) (n toll) {
	d.Connect()
	d.Run(4 * time.Second)
	clear(d.shots)
	d.Run(time.Duration(seconds) * time.Second)
	return d.count(func(shotKey) bool { return true })
}

// count counts the shots for which of returns true.
func (d *duel) count(of func(shotKey) bool) (n toll) {
	for key, s := range d.shots {
		if !s.judged || !of(key) {
			continue // those not judged are under way, or their shooter was destroyed
		}
		n.judged++
		n.differ += s.differ
		switch {
		case s.screen == s.server:
		case s.server == 0:
			n.refused++
		case s.screen == 0:
			n.granted++
		default:
			n.other++
		}
		if s.screen != 0 {
			n.hits++
		}
		if s.gone {
			n.destroyed++
		}
		if s.clamp != lagcomp.Believed {
			n.clamped++
		}
	}
	return n
}
