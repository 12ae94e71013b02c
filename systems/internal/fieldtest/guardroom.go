package fieldtest

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Duty is an input whose neutral value is not all zero.
type Duty struct {
	Turn int8 `net:"-1..1"`
	Fire bool `net:"edge"`
	Gear int8 `net:"1..3"`
}

// Shots counts how often a post has fired, and how often without a player (Stray).
type Shots struct {
	All, Stray uint16
}

// Post is an entity of the guard room that turns and shoots by its owner's input.
type Post struct {
	Own   *components.Owner
	Pos   *components.Position
	Shots *Shots
	In    *Duty
}

// Nobody is a client number that is never assigned.
const Nobody = 99

// Hands lists the successive owners of the roving post. Each owns it for two seconds.
var Hands = []uint32{1, 0, 2, 1, Nobody, 2, 0, 1, 2}

// Handed returns the owner of the roving post after a tick. The owner changes from tick 240 on.
func Handed(tick uint32) uint32 {
	return Hands[(max(tick, 240)-240)/120%uint32(len(Hands))]
}

// roving marks the post that changes its owner.
type roving struct{}

// Departed owns the posts of players who left.
const Departed = 3000

// guardRoom returns the protocol. It calls told with each input that Simulate applies to a post.
func guardRoom(told func(w *ecs.World, p Post)) func() *ecs.Protocol {
	type passed struct {
		Own *components.Owner
		Is  *roving
	}
	return ProtocolOn[Duty](OnJoin(func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{Y: float32(client)}, Shots{}, Duty{})
	}), func(p *ecs.Protocol) {
		ecs.ReplicateFields[Shots](p, ecs.Predicted, map[string]string{"All": "0..65535", "Stray": "0..65535"})
		ecs.Local[roving](p, 0)
		p.QuantizeSteps()
		p.Leave(func(w *ecs.World, client uint32) { // the posts of who leaves stay
			for _, r := range ecs.Each[struct{ Own *components.Owner }](w) {
				if r.Own.Client == client {
					r.Own.Client = Departed
				}
			}
		})
	}, Simulate("guard", func(w *ecs.World) {
		for _, x := range ecs.Each[Post](w) {
			told(w, x)
			x.Pos.X += float32(x.In.Turn) * float32(x.In.Gear)
			if x.In.Fire {
				x.Shots.All++
				if x.Own.Client == 0 || x.Own.Client == Nobody {
					x.Shots.Stray++
				}
			}
		}
	}), Authority(func(w *ecs.World) {
		for _, x := range ecs.Each[passed](w) {
			x.Own.Client = Handed(w.Tick())
		}
	}))
}

// GuardRoomConfig returns a match of two clients in the guard room. Client 2 does nothing. The others always turn and
// shoot.
func GuardRoomConfig(p policy.Model, scope systems.Scope, link netsys.Link, told func(w *ecs.World, p Post)) systemstest.Config {
	return systemstest.Config{
		Protocol: guardRoom(told),
		Server: systems.ServerConfig{
			Model: p, TickRate: 60, Snapshots: systems.Snapshots{SendRate: 20},
		},
		Populate: func(w *ecs.World) {
			w.Spawn(components.Owner{Client: 1}, components.Position{}, Shots{}, Duty{Turn: 1, Fire: true}, roving{})
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Prediction: systems.Prediction{Scope: func(*ecs.World, ecs.Entity) systems.Scope { return scope }}}
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

// EachModel runs a test for one preset of each way to use inputs and, under LocalSync, for both scopes. With TACTUS_LONG it runs
// for every preset and, where clients choose a scope, for both scopes.
func EachModel(t *testing.T, f func(t *testing.T, p policy.Model, scope systems.Scope)) {
	for _, p := range Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		for _, scope := range []systems.Scope{systems.ScopeOwn, systems.ScopeCoSimulated} {
			if scope != systems.ScopeOwn && (policy.TraitsOf(p).RelaysInputs || !Long() && !policy.Is[policy.LocalSync](p)) {
				continue
			}
			t.Run(fmt.Sprint(p, " ", scope), func(t *testing.T) { f(t, p, scope) })
		}
	}
}
