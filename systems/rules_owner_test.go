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
//
//mutant:rule Owner ecs/inputs.go
//mutant:from w.ofOwners = append(w.ofOwners, w.orNeutral(of(o.runs[at-1].owner)))
//mutant:to w.ofOwners = append(w.ofOwners, of(max(o.runs[at-1].owner, 1)))
//mutant:rule Owner systems/timeline/input.go
//mutant:from if p := t.player(owner); p != nil && p.playing {
//mutant:to if p := t.player(max(owner, 1)); p != nil && p.playing {
//mutant:rule Owner systems/server_apply.go
//mutant:from if p := s.byID[client]; p != nil {
//mutant:to if p := s.byID[max(client, 1)]; p != nil {
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
		c.Settle()
		c.Converged()
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
//
//mutant:rule Owner systems/client_tick.go
//mutant:from if owner == c.id {
//mutant:to if owner != 0 {
func TestNetcodeOwner_HandedOverOnce(t *testing.T) {
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		c := systemstest.New(t, onPosts(p, scope, netsys.Link{Latency: 50 * time.Millisecond}, func(*ecs.World, post) {}))
		c.Connect()
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
