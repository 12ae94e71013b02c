package systems_test

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	saves "github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

type (
	herdSpot struct {
		X, Y int32 `net:"raw"`
	}
	herdMove struct {
		DX, DY int8 `net:"-1..1"`
		Call   bool `net:"edge"`
	}
	herdFuse  struct{ Left uint8 } // local
	herdScore struct {
		Steps uint32 `net:"raw"`
	}
	herdAway struct{ Away bool }
	herdName struct {
		N uint8 `net:"0..200"`
	}
	herdCall struct{ From uint32 }
)

type (
	herder struct {
		Owner components.Owner
		Spot  herdSpot
		Move  herdMove
		Away  herdAway
		Name  herdName
	}
	sheep struct {
		Spot herdSpot
		Fuse herdFuse
	}
	walker struct {
		Owner *components.Owner
		Spot  *herdSpot
		Move  *herdMove
	}
)

// herd returns a game with players, entities that spawn and despawn at random, a singleton, a local component, commands and
// outcomes.
func herd() *ecs.Protocol {
	p := ecs.NewProtocol("herd/1")
	ecs.Replicate[herdSpot](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[herdName](p, 0)
	ecs.Local[herdAway](p, 0)
	ecs.Local[herdFuse](p, 0)
	ecs.Singleton[herdScore](p, 0)
	ecs.Input[herdMove](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		ecs.Spawn(w, herder{Owner: components.Owner{Client: client}})
	})
	p.Away(func(w *ecs.World, client uint32, away bool) {
		for _, r := range ecs.EachOf[struct {
			Spot *herdSpot
			Away *herdAway
		}](w, client) {
			r.Away.Away = away
		}
	})
	ecs.Command(p, func(w *ecs.World, client uint32, v *herdName) {
		for _, r := range ecs.EachOf[struct{ Name *herdName }](w, client) {
			r.Name.N = v.N
		}
	})
	p.Simulate("walk", func(w *ecs.World) {
		for e, r := range ecs.EachInOrder[walker](w) {
			draw := w.Rand(e)
			r.Spot.X += int32(r.Move.DX) * int32(1+draw.IntN(3))
			r.Spot.Y += int32(r.Move.DY)
			if r.Move.Call {
				outcome.Raise(w, e, herdCall{r.Owner.Client})
			}
		}
	})
	p.Authority("sheep", func(w *ecs.World) {
		draw := w.Rand(ecs.Entity{})
		if draw.IntN(3) == 0 {
			ecs.Spawn(w, sheep{Spot: herdSpot{X: int32(draw.IntN(100))}, Fuse: herdFuse{uint8(draw.IntN(90))}})
		}
		for e, r := range ecs.EachInOrder[struct {
			Spot *herdSpot
			Fuse *herdFuse
		}](w) {
			own := w.Rand(e)
			r.Spot.Y += int32(own.IntN(5)) - 2
			if r.Fuse.Left--; r.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
		for _, r := range ecs.Each[struct{ Score *herdScore }](w) {
			r.Score.Steps++
		}
	})
	return p
}

// herdModels returns the models. Under those that go back, outcomes stay open for a window.
func herdModels() []policy.Model {
	return []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{FinalAfterWindow: true}, policy.Rollback{FinalAfterWindow: true}, policy.Lockstep{}}
}

// herdConfig returns the configuration of a match. load may be nil. calls counts the committed outcomes by tick and client.
func herdConfig(seed uint64, m policy.Model, clients int, load []byte, calls map[string]int) systemstest.Config {
	heading := map[int]herdMove{}
	return systemstest.Config{
		Protocol: herd,
		Server: systems.ServerConfig{
			Model: m, Load: load, Players: systems.Players{ReconnectWindow: 20 * time.Second},
			Outcomes: func(l *outcome.Log) {
				outcome.Handle(l, outcome.Handlers[herdCall]{Commit: func(_ *ecs.World, o outcome.Outcome[herdCall]) {
					if calls != nil {
						calls[fmt.Sprint(o.Tick, o.Value.From)]++
					}
				}})
			},
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Models: herdModels()}
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *herdMove) {
			if c.Rand().IntN(20) == 0 {
				heading[c.N] = herdMove{DX: int8(c.Rand().IntN(3) - 1), DY: int8(c.Rand().IntN(3) - 1)}
			}
			*in = heading[c.N]
			in.Call = c.Rand().IntN(15) == 0
		}),
		Clients: clients,
		Link:    systemstest.RoundTrip(80*time.Millisecond, 20*time.Millisecond, 0.02),
		Seed:    seed,
	}
}

// saved returns an encoded save.
func saved(t *testing.T, s *systems.Server) []byte {
	t.Helper()
	b, err := s.Save()()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameWorld fails unless two servers have the same world.
func sameWorld(t *testing.T, a, b *systems.Server) {
	t.Helper()
	if a.Tick() != b.Tick() || a.World().Hash() != b.World().Hash() {
		t.Fatalf("tick %d and %d, hash %x and %x", a.Tick(), b.Tick(), a.World().Hash(), b.World().Hash())
	}
	if d, differs := ecs.Differs(a.World(), b.World()); differs {
		t.Fatalf("tick %d: %v", a.Tick(), d)
	}
}

// owners returns how many entities each client owns.
func owners(w *ecs.World) map[uint32]int {
	n := map[uint32]int{}
	for _, r := range ecs.All[struct{ Owner components.Owner }](w) {
		n[r.Owner.Client]++
	}
	return n
}

func eachHerdModel(t *testing.T, f func(t *testing.T, m policy.Model)) {
	for _, m := range append(herdModels(), policy.ServerRewind{}, policy.Rollback{}) {
		t.Run(m.String(), func(t *testing.T) { f(t, m) })
	}
}

// A server that was saved while all players were absent has the same world as the loaded one in each later tick, until the
// reconnect windows end.
func TestLoadedServerGoesOnAsTheSavedOne(t *testing.T) {
	eachHerdModel(t, func(t *testing.T, m policy.Model) {
		a := systemstest.New(t, herdConfig(3, m, 3, nil, nil))
		a.Connect()
		a.RunTicks(200)
		for _, k := range a.Clients {
			k.Away(k.Now())
			k.Kill()
		}
		a.RunTicks(150)
		if err := systems.CommandFor(a.Server, a.Clients[0].ID(), herdName{77}); err != nil { // waits in the save
			t.Fatal(err)
		}
		b := systemstest.New(t, herdConfig(9, m, 0, saved(t, a.Server), nil))
		sameWorld(t, a.Server, b.Server)
		for range 300 {
			a.RunTicks(1)
			b.RunTicks(1)
			sameWorld(t, a.Server, b.Server)
		}
		if was, is := a.Server.Model().Horizon, b.Server.Model().Horizon; was != is {
			t.Errorf("ticks before %d are final, and %d", was, is)
		}
		again := systemstest.New(t, herdConfig(9, m, 0, saved(t, b.Server), nil))
		sameWorld(t, b.Server, again.Server)
		if n := len(owners(again.Server.World())); n < 3 {
			t.Errorf("%d owners", n)
		}
		b.Run(30 * time.Second)
		if n := owners(b.Server.World()); n[1]+n[2]+n[3] > 0 {
			t.Errorf("after the reconnect window %v", n)
		}
	})
}

// deaf is a transport that receives no datagrams while now is true.
type deaf struct {
	netsys.Wire
	now bool
}

func (d *deaf) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if !d.now {
		d.Wire.Poll(now, deliver)
	}
}

// Under Rollback and Lockstep, inputs that have arrived for coming ticks are in the save, and the last one is repeated as before.
func TestPendingInputsAreSaved(t *testing.T) {
	for seed := range uint64(12) {
		m, d := policy.Model(policy.Rollback{Suggest: 100 * time.Millisecond}), &deaf{}
		if seed%2 == 1 {
			m = policy.Lockstep{Suggest: 100 * time.Millisecond}
		}
		c := herdConfig(seed, m, 3, nil, nil)
		c.ServerAddr = netip.MustParseAddrPort("127.0.0.1:7777")
		c.ServerWire = func(w netsys.Wire) netsys.Wire { d.Wire = w; return d }
		a := systemstest.New(t, c)
		a.Connect()
		a.RunTicks(100 + int(seed))
		d.now = true
		b := systemstest.New(t, herdConfig(9, m, 0, saved(t, a.Server), nil))
		for range 100 {
			// The commands of Away run in b only; they change a component that the hash leaves out.
			a.RunTicks(1)
			b.RunTicks(1)
			if a.Server.World().Hash() != b.Server.World().Hash() {
				t.Fatalf("seed %d: tick %d: worlds differ", seed, a.Server.Tick())
			}
		}
	}
}

// Under the models that send snapshots, a loaded server consumes the pending inputs of the save, and the next session of a
// player continues after them. A save of the loaded server has the rest.
func TestLoadedServerConsumesPendingInputs(t *testing.T) {
	models := append(herdModels()[:4], policy.ServerRewind{Suggest: 100 * time.Millisecond})
	for i, m := range models {
		t.Run(m.String(), func(t *testing.T) {
			d := &deaf{}
			c := herdConfig(uint64(i), m, 3, nil, nil)
			c.Link = systemstest.RoundTrip(80*time.Millisecond, 0, 0) // so that no buffer holds
			c.ServerAddr = netip.MustParseAddrPort("127.0.0.1:7777")
			c.ServerWire = func(w netsys.Wire) netsys.Wire { d.Wire = w; return d }
			a := systemstest.New(t, c)
			a.Connect()
			a.RunTicks(100)
			d.now = true
			load := saved(t, a.Server)
			var b *systemstest.Crowd
			for left := pendingInputs(t, load); left > 0; left-- {
				b = systemstest.New(t, herdConfig(9, m, 0, load, nil))
				a.RunTicks(1)
				b.RunTicks(1)
				if a.Server.World().Hash() != b.Server.World().Hash() {
					t.Fatalf("tick %d: worlds differ", a.Server.Tick())
				}
				if load = saved(t, b.Server); pendingInputs(t, load) != left-1 {
					t.Fatalf("%d pending inputs after a tick with %d", pendingInputs(t, load), left)
				}
			}
			if b == nil {
				t.Fatal("no input is pending")
			}
		})
	}
}

// pendingInputs counts the inputs that a save has for the next ticks, per player, and returns the smallest count.
func pendingInputs(t *testing.T, save []byte) int {
	t.Helper()
	x, err := saves.Parse(save)
	if err != nil {
		t.Fatal(err)
	}
	least := math.MaxInt
	for _, p := range x.Players {
		n := len(p.Inputs)
		if n > 0 && p.Inputs[0].Tick < x.Tick {
			n-- // it may be repeated
		}
		least = min(least, n)
	}
	return least
}

// Players return to a loaded server under the same numbers, own the same entities, and play on. The server is saved and loaded
// several times, at random moments. Numbers are not reused, and each outcome is committed once.
func TestPlayersReturnToALoadedServer(t *testing.T) {
	eachHerdModel(t, func(t *testing.T, m policy.Model) {
		systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
			var load []byte
			var before map[uint32]int
			r := ecs.NewRand(seed, 7)
			newest, open := uint32(0), 0
			calls := map[string]int{}
			for round := range 4 {
				c := systemstest.New(t, herdConfig(seed, m, 3+round, load, calls))
				if load != nil {
					if st := c.Server.Outcomes().Stats(); st.Open != open {
						t.Fatalf("round %d: %d open outcomes, before %d", round, st.Open, open)
					}
					if got := owners(c.Server.World()); fmt.Sprint(got) != fmt.Sprint(before) {
						t.Fatalf("round %d: owners %v, before %v", round, got, before)
					}
				}
				c.Connect()
				c.RunTicks(60 + r.IntN(120))
				for n, k := range c.Clients {
					if n < 3+round-1 && k.ID() > newest && round > 0 || n == 3+round-1 && k.ID() <= newest {
						t.Fatalf("round %d: client %d is %d; %d numbers were assigned before", round, n, k.ID(), newest)
					}
					if owners(c.Server.World())[k.ID()] != 1 {
						t.Fatalf("round %d: client %d owns %v", round, k.ID(), owners(c.Server.World()))
					}
				}
				for _, k := range c.Clients {
					newest = max(newest, k.ID())
				}
				if round == 3 {
					c.Settle()
					c.Converged()
					break
				}
				load, before, open = saved(t, c.Server), owners(c.Server.World()), c.Server.Outcomes().Stats().Open
				if x, is := m.(policy.Rollback); open == 0 && is && x.FinalAfterWindow {
					t.Fatal("no outcome is open")
				}
			}
			if len(calls) == 0 {
				t.Error("no outcome was committed")
			}
			for key, n := range calls {
				if n != 1 {
					t.Errorf("outcome %s was committed %d times", key, n)
				}
			}
		})
	})
}

// A player can connect to a server that was saved in any tick of the player's join, and is in the game once.
func TestSaveDuringAJoin(t *testing.T) {
	eachHerdModel(t, func(t *testing.T, m policy.Model) {
		for ticks := 1; ticks < 40; ticks += 3 {
			a := systemstest.New(t, herdConfig(9, m, 2, nil, nil))
			a.RunTicks(ticks)
			b := systemstest.New(t, herdConfig(9, m, 2, saved(t, a.Server), nil))
			b.Connect()
			b.RunTicks(60)
			for _, k := range b.Clients {
				if got := owners(b.Server.World()); len(got) != 2 || got[k.ID()] != 1 {
					t.Fatalf("saved after %d ticks: client %d, owners %v", ticks, k.ID(), got)
				}
			}
			b.Settle()
			b.Converged()
		}
	})
}

// Players who were connected are absent in the loaded world.
func TestLoadedPlayersAreAway(t *testing.T) {
	eachHerdModel(t, func(t *testing.T, m policy.Model) {
		a := systemstest.New(t, herdConfig(5, m, 2, nil, nil))
		a.Connect()
		b := systemstest.New(t, herdConfig(5, m, 0, saved(t, a.Server), nil))
		b.RunTicks(2)
		away := 0
		for _, r := range ecs.All[struct{ Away herdAway }](b.Server.World()) {
			if r.Away.Away {
				away++
			}
		}
		if away != 2 {
			t.Errorf("%d players of 2 are away", away)
		}
	})
}

// A save of one model loads in another one.
func TestLoadInAnotherModel(t *testing.T) {
	for i, m := range herdModels() {
		a := systemstest.New(t, herdConfig(5, m, 2, nil, nil))
		a.Connect()
		a.RunTicks(100)
		next := herdModels()[(i+1)%len(herdModels())]
		b := systemstest.New(t, herdConfig(5, next, 2, saved(t, a.Server), nil))
		sameWorld(t, a.Server, b.Server)
		b.Connect()
		b.RunTicks(100)
		b.Settle()
		b.Converged()
		if n := owners(b.Server.World()); n[1] != 1 || n[2] != 1 {
			t.Errorf("%v to %v: owners %v", m, next, n)
		}
	}
}

// Without a window players leave as soon as the world is loaded, and nobody gets their numbers.
func TestLoadWithoutReconnectWindow(t *testing.T) {
	eachHerdModel(t, func(t *testing.T, m policy.Model) {
		a := systemstest.New(t, herdConfig(5, m, 2, nil, nil))
		a.Connect()
		c := herdConfig(5, m, 2, saved(t, a.Server), nil)
		c.Server.Players.ReconnectWindow = 0
		b := systemstest.New(t, c)
		b.Connect()
		b.RunTicks(10)
		if n := owners(b.Server.World()); n[1]+n[2] > 0 || n[3] != 1 || n[4] != 1 {
			t.Errorf("owners %v", n)
		}
	})
}

// Encoding may run beside the server.
func TestSaveBesideTheServer(t *testing.T) {
	c := systemstest.New(t, herdConfig(5, policy.Rollback{}, 2, nil, nil))
	c.Connect()
	want, encode, done := c.Server.World().Hash(), c.Server.Save(), make(chan []byte)
	go func() {
		b, _ := encode()
		done <- b
	}()
	c.RunTicks(20)
	b := systemstest.New(t, herdConfig(5, policy.Rollback{}, 0, <-done, nil))
	if b.Server.World().Hash() != want {
		t.Error("the save has a later world")
	}
}

// NewServer refuses bytes that are not a save, or a save of another game, with a reason.
func TestLoadRefuses(t *testing.T) {
	a := systemstest.New(t, herdConfig(5, policy.Rollback{}, 2, nil, nil))
	a.Connect()
	a.RunTicks(30)
	b := saved(t, a.Server)
	open := func(load []byte) error {
		s, err := systems.NewServer(netsys.NewNetwork().Node(a.Clients[0].Address()), herd(), systems.ServerConfig{Model: policy.Rollback{}, Load: load})
		if err == nil {
			s.Close(time.Now())
		}
		return err
	}
	if err := open(b); err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if err := open(b[:n]); !errors.Is(err, systems.ErrLoad) {
			t.Fatalf("%d bytes of %d: %v", n, len(b), err)
		}
	}
	newer := slices.Clone(b)
	newer[len("tactus save ")]++
	if err := open(newer); err == nil || !strings.Contains(err.Error(), "version 4 of the format") {
		t.Errorf("a newer format: %v", err)
	}
	if err := open([]byte("something else")); err == nil || !strings.Contains(err.Error(), "not a save") {
		t.Errorf("another file: %v", err)
	}
}

// A save that has what the protocol lacks is refused by an older version of the game, and by one of the same number. A later version
// leaves it out, and so does LoadLossy. What no entity has is not missed. Another TickRate is refused.
func TestLoadRefusesLoss(t *testing.T) {
	version := func(name string, bags, spots bool) *ecs.Protocol {
		p := ecs.NewProtocol(name)
		if spots {
			ecs.Replicate[herdSpot](p, 0)
		}
		if bags {
			ecs.Local[herdFuse](p, 0)
		}
		ecs.Replicate[herdName](p, 0)
		return p
	}
	server := func(p *ecs.Protocol, c systems.ServerConfig) (*systems.Server, error) {
		return systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, c)
	}
	save := func(p *ecs.Protocol, entities ...any) []byte {
		s, err := server(p, systems.ServerConfig{})
		if err != nil {
			t.Fatal(err)
		}
		s.World().Spawn(entities...)
		return saved(t, s)
	}
	full := save(version("herd/2", true, true), herdName{1}, herdFuse{3})
	for _, x := range []struct {
		what  string
		p     *ecs.Protocol
		rate  int
		lossy bool
		want  string // "": it loads
	}{
		{"the same", version("herd/2", true, true), 0, false, ""},
		{"a component that no entity has", version("herd/2", true, false), 0, false, ""},
		{"an older version", version("herd/1", false, true), 0, false, "herdFuse (1 entities)"},
		{"a version of the same number", version("herd/2", false, true), 0, false, "herdFuse (1 entities)"},
		{"a version without a number", version("herd/x", false, true), 0, false, "herdFuse (1 entities)"},
		{"a later version", version("herd/10", false, true), 0, false, ""},
		{"an older version that may lose", version("herd/1", false, true), 0, true, ""},
		{"another rate", version("herd/3", true, true), 30, false, "60 ticks a second"},
		{"another rate that may be", version("herd/2", true, true), 30, true, ""},
	} {
		_, err := server(x.p, systems.ServerConfig{Load: full, TickRate: x.rate, LoadLossy: x.lossy})
		if x.want == "" && err != nil || x.want != "" && (!errors.Is(err, systems.ErrLoad) || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}

// Whatever bytes a server loads, it refuses them or continues, and its own save loads again.
func FuzzLoad(f *testing.F) {
	for i, m := range herdModels() {
		c := systemstest.New(f, herdConfig(3, m, 2, nil, nil))
		c.Connect()
		c.RunTicks(20)
		b, err := c.Server.Save()()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, model uint8, b []byte) {
		config := systems.ServerConfig{
			Model: herdModels()[int(model)%len(herdModels())], Load: b, Start: time.Unix(0, 0), Players: systems.Players{ReconnectWindow: time.Second / 10},
			Outcomes: func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[herdCall]{}) },
		}
		if len(b) == 0 {
			return
		}
		for range 2 {
			s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), herd(), config)
			if err != nil {
				if !errors.Is(err, systems.ErrLoad) {
					t.Fatal(err)
				}
				return
			}
			for now := config.Start; now.Before(config.Start.Add(time.Second / 5)); now = s.Next() {
				s.Advance(now)
			}
			if config.Load, err = s.Save()(); err != nil {
				t.Fatal(err)
			}
			s.Close(time.Unix(1, 0))
		}
	})
}
