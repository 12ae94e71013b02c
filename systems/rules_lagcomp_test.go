package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// rough is the link of most duels.
func rough() netsys.Link {
	return systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
}

// fewer is n, or less where the race detector makes everything slow.
func fewer(n int) int {
	if race.Enabled {
		return 1
	}
	return n
}

// bout is how many seconds a duel takes.
func bout() int {
	if race.Enabled {
		return 4
	}
	return 20
}

// dull reports whether too little happened in a bout to tell anything.
func (n *toll) dull() bool {
	return n.judged < 25*bout() || n.hits < 10*bout() || n.destroyed < bout()/4
}

// Every shot that hit on the shooter's screen hits on the server, the same one, and
// none that missed does, whatever the link, at any rate of ticks and sends: what the
// server looks at is bit for bit what the screen showed, with those that were destroyed
// since. Without compensation it is another game.
func TestNetcodeE5_TheDuel(t *testing.T) {
	t.Parallel()
	still := systemstest.RoundTrip(200*time.Millisecond, 0, 0)
	for _, c := range []struct {
		name   string
		link   netsys.Link
		seeds  int
		server systems.ServerConfig
	}{
		{"200ms", still, 4, systems.ServerConfig{}},
		{"200ms,30ms,5%", rough(), 10, systems.ServerConfig{}},
		{"woken 20 times a second", rough(), 3, systems.ServerConfig{WakeEvery: 3}},
		{"60 sends", rough(), 3, systems.ServerConfig{SendRate: 60}},
		{"at arrival", still, 3, systems.ServerConfig{Policies: policy.Policies{Timing: policy.TimingArrival}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, fewer(c.seeds), func(t *testing.T, seed uint64) {
				play := func(l lagcomp.Config) (*duel, toll) {
					config := yardConfig(seed, c.link, l)
					c.server.Join, c.server.LagComp = config.Server.Join, config.Server.LagComp
					config.Server = c.server
					d := newDuel(t, config, nil)
					return d, d.fight(bout())
				}
				d, n := play(lagcomp.Config{})
				_, off := play(lagcomp.Config{Off: true})
				t.Logf("%+v; without %+v", n, off)
				if n.wrong()+n.differ+n.clamped > 0 {
					t.Errorf("%+v", n)
					for s := range d.log.All() {
						if !s.Hit || s.Clamp != lagcomp.Believed {
							t.Logf("%+v", s)
						}
					}
				}
				if n.dull() {
					t.Errorf("%+v: too little happened", n)
				}
				if off.refused < off.hits/2 || off.granted == 0 || off.other == 0 {
					t.Errorf("without compensation: %+v", off)
				}
				stats := d.Server.LagComp().Stats()
				if stats.Ahead+stats.Old+stats.Backwards+stats.Unsent+stats.Unclaimed > 0 {
					t.Errorf("%+v", stats)
				}
			})
		})
	}
}

// Where own entities are mispredicted, or an input applies later than it was gathered, a
// shot comes from elsewhere than on the screen; its targets are still where they were.
// Damped others are on their way to what was claimed.
func TestNetcodeE5_UnderOtherModels(t *testing.T) {
	t.Parallel()
	arrival := policy.LocalSync.Policies()
	arrival.Timing = policy.TimingArrival
	for _, c := range []struct {
		name     string
		policies policy.Policies
		targets  bool    // are where they were
		wrong    float64 // share of the shots that may end otherwise
	}{
		{"CorrectOnMismatch", policy.CorrectOnMismatch.Policies(), true, 0},
		{"at arrival", arrival, true, 0.05},
		{"ServerRewind", policy.ServerRewind.Policies(), true, 0.12},
		{"Buffered", policy.Buffered.Policies(), false, 0.12},
	} {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, fewer(3), func(t *testing.T, seed uint64) {
				config := yardConfig(seed, rough(), lagcomp.Config{})
				config.Server.Policies = c.policies
				n := newDuel(t, config, nil).fight(bout())
				t.Logf("%+v", n)
				if n.dull() || n.clamped > 0 || c.targets && n.differ > 0 || float64(n.wrong()) > c.wrong*float64(n.judged) {
					t.Errorf("%+v", n)
				}
			})
		})
	}
}

// Looking at the world by claims, in every tick, allocates nothing, neither where they
// are made nor where they are judged.
func TestLagCompAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	config := yardConfig(1, rough(), lagcomp.Config{})
	config.CountOnly = true
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
		in.DX, in.Fire = int8(k.Input()/40%3)-1, true
		in.Seen = k.Claim(true)
	})
	c := systemstest.New(t, config)
	views := 0
	judge := referee(func(w *ecs.World) {
		for _, p := range ecs.Each[shooter](w) {
			aimed(lagcomp.As(w, p.Own.Client, p.In.Seen), p.Own.Client, 1)
			views++
		}
	})
	ecs.SetResource(c.Server.World(), &judge)
	c.Connect()
	c.Run(60 * time.Second)
	views = 0
	n := 1.0
	for i := 0; i < 3 && n > 0; i++ { // the runtime may allocate something by itself, once
		n = testing.AllocsPerRun(1, func() { c.RunTicks(300) })
	}
	if n != 0 || views < 3*600 {
		t.Errorf("%.0f allocations in 300 ticks, with %d views in all", n, views)
	}
}

// A claim travels in few bytes, and while there is nothing to claim in none.
func TestNetcodeE5_BytesOfClaims(t *testing.T) {
	perInput := func(claims func(k *systemstest.Client, fire bool) lagcomp.Claim) float64 {
		config := yardConfig(1, rough(), lagcomp.Config{})
		config.Play = systemstest.Play(func(k *systemstest.Client, in *Rifle) {
			in.Fire = k.Input()%30 == 0
			in.Seen = claims(k, in.Fire)
		})
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(10 * time.Second)
		before := c.Clients[0].Stats()
		c.Run(30 * time.Second)
		after := c.Clients[0].Stats()
		return float64(after.InputBytes-before.InputBytes) / float64(after.Inputs-before.Inputs)
	}
	without := perInput(func(*systemstest.Client, bool) lagcomp.Claim { return lagcomp.Claim{} })
	shots := perInput(func(k *systemstest.Client, fire bool) lagcomp.Claim { return k.Claim(fire) })
	each := perInput(func(k *systemstest.Client, _ bool) lagcomp.Claim { return k.Claim(true) })
	t.Logf("a message takes %.1f bytes without claims, %.1f with two a second, %.1f with one a tick", without, shots, each)
	if shots > without+2 || each > without+17 {
		t.Errorf("a message takes %.1f bytes without claims, %.1f with two a second, %.1f with one a tick", without, shots, each)
	}
}
