package systems_test

import (
	"errors"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// forger is a bot that knows all of the server's world at any time, and shoots at one
// victim where that was at a moment of its choice.
type forger struct {
	d      *duel
	victim components.NetID
	truth  map[uint32]Stance // where the victim was, by tick
	moment func(now uint32, k *systemstest.Client) uint32
	claims func(m uint32) uint32 // what it says of that moment
}

// lie aims at the victim as it was at the moment, and claims to have seen that.
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

// rob plays a duel with a forger among honest players. What it shoots at goes on and on
// in one direction, far behind all others, and nothing harms it.
func (f *forger) rob(t *testing.T, seed uint64) {
	f.truth = map[uint32]Stance{}
	config := yardConfig(seed, rough(), lagcomp.Config{})
	config.Populate = func(w *ecs.World) {
		dummies(4)(w)
		f.victim = w.NetID(w.Spawn(Stance{X: -50, Y: 60}, Body{}, Armor{}))
	}
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

// A bot that forges what it saw is shown no moment before the bound, and none of which
// it has no state: aiming at where its victim was longer ago it misses, and who says that
// it has seen what is to come sees no more than what it has. Within the bounds it hits, as
// anybody does who saw that. Nobody beside it is touched by any of this.
func TestNetcodeE5_AForgerGainsNothing(t *testing.T) {
	t.Parallel()
	const bound = 51 // ticks
	ago := func(ticks uint32) func(uint32, *systemstest.Client) uint32 {
		return func(now uint32, _ *systemstest.Client) uint32 { return now - min(now, ticks) }
	}
	truly := func(m uint32) uint32 { return m }
	for _, c := range []struct {
		name   string
		moment func(now uint32, k *systemstest.Client) uint32
		claims func(m uint32) uint32
		clamp  lagcomp.Clamp
		hits   [2]float64 // share of the lies that hit: at least, at most
	}{
		{"within the bound", ago(20), truly, lagcomp.Believed, [2]float64{0.75, 1}},
		{"the newest that it has", func(_ uint32, k *systemstest.Client) uint32 { return k.ServerTick() }, truly, lagcomp.Believed, [2]float64{0.75, 1}},
		{"before the bound", ago(80), truly, lagcomp.Old, [2]float64{0, 0}},
		{"long ago", ago(200), truly, lagcomp.Old, [2]float64{0, 0}},
		{"what is to come", ago(0), func(m uint32) uint32 { return m + 60 }, lagcomp.Ahead, [2]float64{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, fewer(4), func(t *testing.T, seed uint64) {
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

// What is known of a client goes when it does, not before its player is no longer
// waited for; what was counted stays.
func TestNetcodeE5_WhoLeavesIsForgotten(t *testing.T) {
	config := yardConfig(1, rough(), lagcomp.Config{})
	config.Server.ReconnectWindow, config.Server.Timeout = 2*time.Second, time.Second
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

// A client that draws nothing of others claims nothing, and one that draws what it was
// told last claims that.
func TestClaimsWithoutInterpolate(t *testing.T) {
	config := yardConfig(1, rough(), lagcomp.Config{})
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
	if c, newest := k.Claim(true), k.ServerTick(); c != lagcomp.NewClaim(float64(newest), newest, 0, 3) || !c.Made() {
		t.Errorf("%+v at tick %d", c, newest)
	}
	d.Run(time.Second)
	before := k.Claim(false)
	if k.Claim(true) == before || k.Claim(false) == before {
		t.Error("a claim is a new one when it is asked for, and else the last")
	}
}

func TestLagCompIsChecked(t *testing.T) {
	for name, c := range map[string]systems.ServerConfig{
		"a negative rewind": {LagComp: &lagcomp.Config{MaxRewind: -1}},
		"another send rate": {SendRate: 30, LagComp: &lagcomp.Config{SendRate: 20}},
	} {
		if err := c.Validate(); !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []systems.ServerConfig{
		{LagComp: &lagcomp.Config{}},
		{SendRate: 30, LagComp: &lagcomp.Config{SendRate: 30, Off: true}},
		{Policies: policy.ServerRewind.Policies(), LagComp: &lagcomp.Config{MaxRewind: time.Second}},
		{Policies: policy.Rollback.Policies(), LagComp: &lagcomp.Config{}},
	} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, policies := range []policy.Policies{policy.LocalSync.Policies(), policy.Lockstep.Policies()} {
		node := netsys.NewNetwork().Node(netip.AddrPort{})
		s, err := systems.NewServer(node, yard(), systems.ServerConfig{Policies: policies, LagComp: &lagcomp.Config{}})
		if err != nil {
			t.Fatal(err)
		}
		if s.LagComp() != ecs.Resource[lagcomp.Compensator](s.World()) || (s.LagComp() != nil) != (policies.Correction == policy.CorrectionState) {
			t.Errorf("%v: %v", policies, s.LagComp())
		}
	}
}
