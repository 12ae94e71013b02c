package systems_test

import (
	"errors"
	"math"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// buffered is a configuration of the field under the preset Buffered, at three steps a
// wake-up.
func buffered(seed uint64, clients int, link netsys.Link) systemstest.Config {
	config := onField(seed, clients, link)
	config.Server.Policies = policy.Buffered.Policies()
	config.Server.WakeEvery = 3
	return config
}

// A server that wakes every third step simulates three of them each time, each with one
// input of each client, and acknowledges the last.
func TestNetcodeC1_ThreeStepsAWakeUp(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, buffered(seed, 3, lag(4)))
		c.Connect()
		c.Run(15 * time.Second) // until the buffers are as deep as they stay
		c.Mark()
		var last [3]systems.ClientStatus
		ticks, wakes := c.Server.Tick(), 0
		for i, k := range c.Clients {
			last[i] = k.Status()
		}
		c.OnServerTick(func() {
			if now := c.Server.Tick(); now-ticks != 3 {
				t.Fatalf("%d steps a wake-up", now-ticks)
			}
			ticks += 3
			wakes++
			for i, k := range c.Clients {
				st := k.Status()
				holds := uint32(st.Inputs.Holds - last[i].Inputs.Holds)
				if took := st.LastInput - last[i].LastInput; took+holds != 3 {
					t.Fatalf("%v: %d inputs and %d holds a wake-up", k, took, holds)
				}
				last[i] = st
			}
		})
		c.Run(10 * time.Second)
		if wakes != 200 {
			t.Errorf("%d wake-ups in ten seconds", wakes)
		}
		c.NothingMissing()
		c.NoCorrections() // with another input than the last one the comparison would fail
		for _, k := range c.Clients {
			if f := k.Figures(); f.Confirmed < 195 {
				t.Errorf("%v: %d own states agreed, of 200", k, f.Confirmed)
			}
		}
	})
}

// Rates that do not divide each other are refused.
func TestNetcodeC1_OtherRatiosAreRefused(t *testing.T) {
	for _, c := range []struct {
		config systems.ServerConfig
		ok     bool
	}{
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3}, true},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 7}, false},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3, SendRate: 20}, true},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3, SendRate: 30}, false},
		{systems.ServerConfig{TickRate: 60, WakeEvery: -1}, false},
	} {
		c.config.Policies = policy.Buffered.Policies()
		if err := c.config.Validate(); (err == nil) != c.ok || err != nil && !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%d steps, one wake-up in %d, %d sends: %v", c.config.TickRate, c.config.WakeEvery, c.config.SendRate, err)
		}
	}
}

// What is drawn of others follows their newest confirmed place: no faster than the rule
// says, never past it, whatever the frame rate; and stands there when they do.
func TestNetcodeC6_Damped(t *testing.T) {
	const rate, snap = 6.0, 4.0
	for _, frames := range []int{30, 144} {
		systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
			config := buffered(seed, 2, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05))
			config.FrameRate = frames
			config.Protocol = fieldWith(pushAt(func(tick, _ uint32) (components.Position, bool) {
				return components.Position{X: 2 * snap}, tick%200 == 0
			}))
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Damping: interpolate.Damping{Rate: rate, Snap: snap}}
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(2 * time.Second)
			c.Mark()
			drawn := map[int]map[components.NetID]components.Position{}
			at := map[int]time.Duration{}
			jumps, moves := 0, 0
			c.OnFrame(func(k *systemstest.Client) {
				now := map[components.NetID]components.Position{}
				dt := (c.Elapsed() - at[k.N]).Seconds()
				before := drawn[k.N]
				drawn[k.N], at[k.N] = now, c.Elapsed()
				for e, r := range ecs.All[struct {
					Pos components.Position
					Own components.Owner
				}](k.View()) {
					if r.Own.Client == k.ID() {
						continue
					}
					id := k.View().NetID(e)
					now[id] = r.Pos
					source, ok := k.World().ByNetID(id)
					was, known := before[id]
					if !ok || !known {
						continue
					}
					target := place(k.World(), source)
					apart, left := apartBy(was, target), apartBy(r.Pos, target)
					if apart > snap {
						jumps++
						if left != 0 {
							t.Fatalf("%v units apart, drawn %v from there", apart, left)
						}
						continue
					}
					// Euler's steps are as good as one likes: here a thousand.
					want := apart
					for range 1000 {
						want = max(want-max(rate, want*rate)*dt/1000, 0)
					}
					if math.Abs(left-want) > 0.02 {
						t.Fatalf("%v units apart, and %v after %v s; %v by the rule", apart, left, dt, want)
					}
					if left < apart {
						moves++
					}
				}
			})
			c.Run(8 * time.Second)
			if jumps == 0 || moves == 0 {
				t.Errorf("%d jumps and %d moves seen", jumps, moves)
			}
			c.Settle()
			c.Converged()
			for _, k := range c.Clients {
				truth := places(k.World())
				for id, p := range places(k.View()) {
					if id != 0 && p != truth[id] && ecs.Get[Drift](c.Server.World(), entityOf(c, id)) == nil {
						t.Errorf("%v draws %d at %v when all is quiet, not at %v", k, id, p, truth[id])
					}
				}
			}
		})
	}
}

func apartBy(a, b components.Position) float64 {
	return math.Hypot(float64(a.X)-float64(b.X), float64(a.Y)-float64(b.Y))
}

// entityOf is the server's entity of a NetID.
func entityOf(c *systemstest.Crowd, id components.NetID) ecs.Entity {
	e, _ := c.Server.World().ByNetID(id)
	return e
}

// A hundred and twenty players in one world, everybody in sight of everybody, and no
// snapshot is larger than its budget: once all have joined nobody waits for a turn.
func TestNetcodeC10_ACrowdFitsTheBudget(t *testing.T) {
	t.Parallel()
	crowd, budget := 120, 450 // 3.75 bytes a player, of which the longest snapshot leaves a fifth
	if race.Enabled {
		crowd, budget = 50, 220
	}
	config := onField(1, crowd, lag(3))
	config.Server.Budget = budget
	config.FrameRate = 1 // nobody looks
	config.Server.Join = func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{X: float32(client%16)*60 - 450, Y: float32(client/16)*100 - 400}, Jumps{}, Walk{})
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)
	before := c.Server.Stats()
	c.Run(2 * time.Second)
	st := c.Server.Stats()
	if updates := st.Updates - before.Updates; updates < uint64(crowd*39) {
		t.Errorf("%d updates in two seconds", updates)
	}
	if st.Snapshots.Largest > budget || st.OverBudget != before.OverBudget {
		t.Errorf("a snapshot of %d bytes, where %d are allowed; %d in which somebody had to wait", st.Snapshots.Largest, budget, st.OverBudget-before.OverBudget)
	}
	c.Settle()
	c.Converged()
}

// What the server last told of the own player can be read beside what is predicted.
func TestNetcodeC7_TheServersGhost(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 2, bad()))
		truth := map[uint32]map[uint32]components.Position{} // by client and tick
		c.OnServerTick(func() {
			for _, k := range c.Clients {
				if truth[k.ID()] == nil {
					truth[k.ID()] = map[uint32]components.Position{}
				}
				truth[k.ID()][c.Server.Tick()] = place(c.Server.World(), own(c, k))
			}
		})
		c.Connect()
		c.Run(2 * time.Second)
		seen, behind := 0, 0
		c.OnClientTick(func(k *systemstest.Client) {
			e, ok := k.Own(k.World())
			if !ok {
				return
			}
			ghost, ok := systems.Confirmed[components.Position](k.Client, e)
			if want := truth[k.ID()][k.ConfirmedTick()]; !ok || ghost != want {
				t.Fatalf("%v: at %v (%v) in tick %d, the server had it at %v", k, ghost, ok, k.ConfirmedTick(), want)
			}
			seen++
			if ghost != place(k.World(), e) {
				behind++
			}
		})
		c.Run(5 * time.Second)
		if seen == 0 || behind == 0 {
			t.Errorf("%d ghosts, %d of them elsewhere than predicted", seen, behind)
		}
		for e, r := range ecs.All[struct{ Pos components.Position }](c.Clients[0].World()) {
			if mine, _ := c.Clients[0].Own(c.Clients[0].World()); e != mine {
				if g, ok := systems.Confirmed[components.Position](c.Clients[0].Client, e); ok {
					t.Errorf("a ghost at %v of somebody else at %v", g, r.Pos)
				}
			}
		}
	})
}

// puppet is a client of which every message is written by the test.
type puppet struct {
	t       *testing.T
	server  *systems.Server
	client  *netsys.Client
	session netsys.Session
	now     time.Time
	got     [][]byte // payloads from the server
}

// newPuppet joins a puppet to a server of the field.
func newPuppet(t *testing.T, c systems.ServerConfig) *puppet {
	t.Helper()
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("10.0.0.1:7777")
	p := &puppet{t: t, now: time.Unix(0, 0)}
	c.Start, c.Random, c.Join = p.now, netsys.SeededRandom(1), joinField
	var err error
	if p.server, err = systems.NewServer(network.Node(address), field(), c); err != nil {
		t.Fatal(err)
	}
	p.client, err = netsys.NewClient(network.Node(netip.AddrPort{}), address, netsys.ClientConfig{
		Schema: field().Lines(), Random: netsys.SeededRandom(2),
	})
	if err != nil {
		t.Fatal(err)
	}
	journalOf(p.server.World())
	for p.session == nil {
		p.tick()
	}
	p.tick()
	return p
}

// tick sends messages and lets the server run one tick.
func (p *puppet) tick(messages ...[]byte) {
	p.t.Helper()
	p.client.Poll(p.now, p)
	for _, m := range messages {
		if _, err := p.session.Send(p.now, m); err != nil {
			p.t.Fatal(err)
		}
	}
	p.server.Advance(p.now)
	p.now = p.server.Next()
}

func (p *puppet) Connected(_ time.Time, s netsys.Session) { p.session = s }

func (p *puppet) Received(_ time.Time, _ netsys.Session, pk netsys.Packet) {
	p.got = append(p.got, append([]byte(nil), pk.Data...))
}

func (p *puppet) Message(time.Time, netsys.Session, int, []byte) {}

func (p *puppet) Acked(netsys.Session, uint16) {}

func (p *puppet) Disconnected(_ time.Time, _ netsys.Session, reason error) { p.t.Error(reason) }

// input is a message with the same walk for the count inputs up to newest, but
// for N, which is each one's sequence.
func input(newest uint32, count int, dx uint64) []byte {
	var w codec.Writer
	w.Reset([]byte{1, 0, 0, 0, byte(newest), byte(newest >> 8), byte(count)})
	const (
		still = 1 // DY 0 in steps from −1
		up    = 0 // Jump
	)
	first := newest - uint32(count) + 1
	w.Bits(dx, 2)
	w.Bits(still, 2)
	w.Bits(up, 1)
	w.Bits(uint64(uint16(first)), 16)
	w.Bool(count > 1)
	if left := count - 1; left > 0 {
		w.Bits(0, uint(codec.BitsFor(uint64(left)))) // the very next is not as predicted:
		w.Bits(8, 4)                                 // in its N,
		w.Bits(2, 5+1)                               // which is 1 more, in zigzag form 2, of 2 bits
		w.Bool(true)                                 // and so it goes on
		w.Bits(0, uint(min(left-1, 2)))              // without another change
	}
	return w.Bytes()
}

// The field is the world of the rule tests: players walk where their inputs say,
// drifters go to and fro by the tick.

// Walk is the input. N is the low half of its sequence, so that no two inputs
// within reach of each other are equal and a journal says which was consumed.
type Walk struct {
	DX, DY int8   `net:"-1..1"`
	Jump   bool   `net:"edge"`
	N      uint16 `net:"0..65535"`
}

// Jumps counts presses.
type Jumps struct {
	Count uint16 `net:"0..65535"`
}

// Drift makes an entity go to and fro along X.
type Drift struct {
	Number int32
}

// inputLimit is how far a player walks in a tick, in units: a power of two, so that
// sums are exact.
const inputLimit = 1.0 / 8

// tolerance is how far two places may lie apart and count as the same, per axis:
// the step of components.Position.
const tolerance = 0.01

type walker struct {
	Pos   *components.Position
	Jumps *Jumps
	Own   *components.Owner
	In    *Walk
}

type drifter struct {
	Pos *components.Position
	Do  *Drift
}

// field is the protocol of the rule tests.
func field() *ecs.Protocol {
	p := fieldBase()
	p.Simulate("walk", walk)
	p.Simulate("drift", drift)
	return p
}

func fieldBase() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Jumps](p, ecs.Predicted)
	ecs.Input[Walk](p)
	ecs.Local[Drift](p, 0)
	return p
}

func walk(w *ecs.World) {
	j := ecs.Resource[journal](w)
	for e, d := range ecs.Each[walker](w) {
		d.Pos.X += float32(d.In.DX) * inputLimit
		d.Pos.Y += float32(d.In.DY) * inputLimit
		if d.In.Jump {
			d.Jumps.Count++
		}
		if j != nil {
			j.steps = append(j.steps, step{w.Tick(), w.NetID(e), d.Own.Client, *d.In})
		}
	}
}

// driftPeriod is the ticks of a drifter's way there and back.
const driftPeriod = 240

func drift(w *ecs.World) {
	for _, d := range ecs.Each[drifter](w) {
		if (w.Tick()+17*uint32(d.Do.Number))%driftPeriod < driftPeriod/2 {
			d.Pos.X += inputLimit
		} else {
			d.Pos.X -= inputLimit
		}
	}
}

// journal is a resource in which walk notes what it did, by peer.
type journal struct{ steps []step }

// step is one entity's step.
type step struct {
	tick  uint32
	id    components.NetID
	owner uint32
	in    Walk
}

// journalOf makes a world keep a journal from now on, and returns it.
func journalOf(w *ecs.World) *journal {
	j := ecs.Resource[journal](w)
	if j == nil {
		j = &journal{}
		ecs.SetResource(w, j)
	}
	return j
}

// of returns the steps that a journal has of one owner's entities.
func (j *journal) of(owner uint32) (steps []step) {
	for _, s := range j.steps {
		if s.owner == owner {
			steps = append(steps, s)
		}
	}
	return steps
}

// joinField spawns a client's player.
func joinField(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{})
}

// drifters fills a world with n drifters.
func drifters(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: float32(i), Y: -100}, Drift{Number: int32(i)})
		}
	}
}

// wander makes every client turn now and then, by chance. It depends on neither
// the world nor the other clients.
func wander() systemstest.Script {
	var dirs []Walk
	return systemstest.Play(func(k *systemstest.Client, in *Walk) {
		for len(dirs) <= k.N {
			dirs = append(dirs, Walk{})
		}
		d := &dirs[k.N]
		if k.Rand().IntN(20) == 0 {
			d.DX, d.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		}
		*in = *d
		in.Jump = k.Rand().IntN(40) == 0
		in.N = uint16(k.Input())
	})
}

// straight makes every client walk along X for good.
func straight() systemstest.Script {
	return systemstest.Play(func(k *systemstest.Client, in *Walk) { *in = Walk{DX: 1, N: uint16(k.Input())} })
}

// steady makes every input of a client the same.
func steady(in Walk) systemstest.Script {
	return systemstest.Play(func(_ *systemstest.Client, to *Walk) { *to = in })
}

// ticks is the length of n ticks of a world at 60 a second.
func ticks(n int) time.Duration { return time.Duration(n) * time.Second / 60 }

// lag is a link of n ticks one way.
func lag(n int) netsys.Link { return netsys.Link{Latency: ticks(n)} }

// bad is the link at 500/84/5.
func bad() netsys.Link { return systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05) }

// onField is a configuration of the field for clients over a link.
func onField(seed uint64, clients int, link netsys.Link) systemstest.Config {
	return systemstest.Config{
		Protocol: field,
		Server:   systems.ServerConfig{Join: joinField},
		Populate: drifters(4),
		Play:     wander(),
		Clients:  clients,
		Link:     link,
		Seed:     seed,
	}
}

// pushAt moves players by d at chosen ticks, on the server alone.
func pushAt(at func(tick, owner uint32) (d components.Position, ok bool)) func(w *ecs.World) {
	type pushed struct {
		Pos *components.Position
		Own *components.Owner
	}
	return func(w *ecs.World) {
		for _, p := range ecs.Each[pushed](w) {
			if d, ok := at(w.Tick(), p.Own.Client); ok && p.Own.Client != 0 {
				p.Pos.X, p.Pos.Y = p.Pos.X+d.X, p.Pos.Y+d.Y
			}
		}
	}
}

// fieldWith is the field with one more system on the server alone.
func fieldWith(authority func(w *ecs.World)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := field()
		p.Authority("test", authority)
		return p
	}
}

// long reports whether the long forms of the tests were asked for, by the
// environment variable TACTUS_LONG.
func long() bool { return os.Getenv("TACTUS_LONG") != "" }

// length is how long a test plays: in short mode, usually, and in the long form.
func length(short, usual, longest time.Duration) time.Duration {
	switch {
	case long():
		return longest
	case testing.Short():
		return short
	}
	return usual
}
