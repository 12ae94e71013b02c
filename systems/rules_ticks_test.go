package systems_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// era is after how many ticks all meets again that is done every so many of them: sends,
// looks at the loss, checks.
const era = 1 << 9 * 3 * 5

// played is what became of a match, as far as one can tell without knowing its ticks.
type played struct {
	Figures []systemstest.Figures
	Posts   []string
	Drawn   []float64 // by how many ticks what is drawn of others lies back
}

// playFrom plays a match of three from a tick on, with hitches, and who comes late.
func playFrom(t *testing.T, p policy.Preset, scope systems.Scope, first uint32, length time.Duration) (c *systemstest.Crowd, r played) {
	config := onPosts(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(*ecs.World, post) {})
	config.Populate = nil
	config.Server.FirstTick = first
	c = systemstest.New(t, config)
	c.Connect()
	c.Run(length / 3)
	c.Join()
	c.Run(length / 3)
	c.Clients[0].Stall(700 * time.Millisecond)
	c.Run(length / 3)
	for _, k := range c.Clients {
		r.Figures = append(r.Figures, k.Figures())
		r.Drawn = append(r.Drawn, float64(int(64*(k.DrawnTick()-float64(c.Server.Tick()))))/64)
	}
	for _, x := range ecs.EachInOrder[post](c.Server.World()) {
		r.Posts = append(r.Posts, fmt.Sprint(*x.Own, *x.Pos, *x.Shots, *x.In))
	}
	return c, r
}

// A match is the same whatever the numbers of its ticks: where those of ticks, of sends
// and, if they are ticks, of inputs begin again on the wire, across 2^31, and close to the
// last.
//
//mutant:rule Ticks systems/client_own.go
//mutant:from c.own.input = codec.Lift(h.input, max(c.own.input, c.log.newest))
//mutant:to c.own.input = uint32(h.input)
//mutant:rule Ticks systems/relay/adopt.go
//mutant:from const maxTick = ecs.MaxTick + 1<<15
//mutant:to const maxTick = (ecs.MaxTick + 1<<15) / 2
func TestNetcodeTicks_SameAnywhere(t *testing.T) {
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		const length, before = 6 * time.Second, 300
		same := map[uint32]played{} // by what is left of the first tick, in an era
		for _, tick := range []uint32{15 << 16, 1 << 31, ecs.MaxTick / (15 << 16) * (15 << 16)} {
			first := tick - before
			want, known := same[first%era]
			if !known {
				_, want = playFrom(t, p, scope, first%era, length)
				same[first%era] = want
			}
			c, got := playFrom(t, p, scope, first, length)
			if c.Server.Tick() < tick+60 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("about tick %d, up to %d\n%+v\nand about %d\n%+v", tick, c.Server.Tick(), got, tick%era, want)
			}
			c.Settle()
			c.Converged()
		}
	})
}

// Nothing is different where the numbers of inputs and datagrams begin again on the wire:
// 65,536 ticks in, in matches with a datagram each way in every tick.
//
//mutant:rule Ticks systems/inputbuffer.go
//mutant:from newest := codec.Lift(m.newest, near)
//mutant:to newest := min(codec.Lift(m.newest, near), 1<<16-1)
func TestNetcodeTicks_NumbersBeginAgain(t *testing.T) {
	presets := policy.Presets()
	if testing.Short() {
		presets = presets[:1] // each takes 18 minutes
	}
	for _, p := range presets {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			config := onPosts(p, systems.ScopeOwn, netsys.Link{Latency: 20 * time.Millisecond}, func(*ecs.World, post) {})
			config.Populate, config.Server.SendRate, config.Clients = nil, 60, 1
			c := systemstest.New(t, config)
			c.Connect()
			window := func(until int) systemstest.Figures {
				c.RunTicks(until - 300 - int(c.Server.Tick()))
				c.Mark()
				c.RunTicks(600)
				return c.Clients[0].Figures()
			}
			early, across := window(10_000), window(1<<16)
			if early != across || across.Consumed < 590 || across.Corrections > 0 {
				t.Errorf("about tick 10,000\n%+v\nand about 65,536\n%+v", early, across)
			}
			if n := c.Clients[0].Traffic().Session; n.DatagramsOut < 1<<16 || n.DatagramsIn < 1<<16-300 {
				t.Errorf("%d and %d datagrams", n.DatagramsOut, n.DatagramsIn)
			}
			c.Settle()
			c.Converged()
		})
	}
}

// After its last tick a server ends and says why; its clients hear a goodbye.
//
//mutant:rule Ticks systems/ticks.go
//mutant:from if left > 0 {
//mutant:to if left > 1 {
func TestNetcodeTicks_EndAfterTheLast(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			config := onPosts(p, systems.ScopeOwn, netsys.Link{Latency: 30 * time.Millisecond}, func(*ecs.World, post) {})
			config.Populate, config.Server.FirstTick = nil, ecs.MaxTick-400
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(10 * time.Second)
			if got := c.Server.Tick(); got != ecs.MaxTick+1 || !errors.Is(c.Server.Err(), systems.ErrTicks) {
				t.Errorf("the server stands before tick %d: %v", got, c.Server.Err())
			}
			for _, k := range c.Clients {
				if !errors.Is(k.Err(), netsys.ErrClosed) || k.Figures().Consumed < 200 {
					t.Errorf("%v: %v, %+v", k, k.Err(), k.Figures())
				}
			}
		})
	}
	s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("10.0.0.1:7777")), field(), systems.ServerConfig{FirstTick: ecs.MaxTick})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); !errors.Is(err, systems.ErrTicks) {
		t.Errorf("Run returns %v", err)
	}
	if err := (systems.ServerConfig{FirstTick: ecs.MaxTick + 1}).Validate(); !errors.Is(err, systems.ErrConfig) {
		t.Errorf("a match without ticks: %v", err)
	}
}
