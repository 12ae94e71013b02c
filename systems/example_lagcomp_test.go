package systems_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Crossbow is the input of the example. Seen is the moment that the screen showed.
type Crossbow struct {
	Fire bool `net:"edge"`
	Seen lagcomp.Claim
}

// Lives is the remaining number of hits that an entity survives.
type Lives struct {
	Left uint8 `net:"0..9"`
}

// bolts returns the rule that hits entities straight above a shooter. It records what the shooter and the server saw.
func bolts(sights *lagcomp.Log[components.Position]) func(w *ecs.World) {
	type archer struct {
		At  *components.Position
		Own *components.Owner
		In  *Crossbow
	}
	type mark struct {
		At    components.Position
		Lives Lives
	}
	return func(w *ecs.World) {
		for _, a := range ecs.Each[archer](w) {
			if !a.In.Fire {
				continue
			}
			view := lagcomp.As(w, a.Own.Client, a.In.Seen)
			for e, m := range lagcomp.All[mark](view) {
				hit := m.At.X > a.At.X-1 && m.At.X < a.At.X+1
				if lives := ecs.Get[Lives](w, e); hit && lives != nil { // nil: destroyed since
					lives.Left--
				}
				sights.Note(view, e, hit)
			}
		}
	}
}

func range3(shoot func(w *ecs.World)) *ecs.Protocol {
	p := ecs.NewProtocol("range/3")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Lives](p, 0)
	ecs.Input[Crossbow](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{X: 60}, Crossbow{})
	})
	p.Authority("shoot", shoot) // whoever decides: the server alone, or everybody under rollback
	p.Authority("run", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *components.Position
			_  ecs.With[Lives]
		}](w) {
			r.At.X += 0.5
		}
	})
	return p
}

// A client shoots when its screen shows the runner in front of it. At a round trip of 200 ms the runner is elsewhere on the
// server when the shot arrives. The server evaluates the world that the shooter saw.
func ExampleClient_Claim() {
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	now := time.Unix(0, 0)
	sights := lagcomp.NewLog[components.Position](16) // to find out why a shot hit, or did not
	server, err := systems.NewServer(network.Node(address), range3(bolts(sights)), systems.ServerConfig{
		Start:   now,
		LagComp: &lagcomp.Config{}, // all that a server needs
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	runner := server.World().Spawn(components.Position{}, Lives{Left: 9})

	link := netsys.Link{Latency: 100 * time.Millisecond}
	wire, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{In: link, Out: link})
	if err != nil {
		fmt.Println(err)
		return
	}
	fired := false
	aim := func(client *systems.Client, in *Crossbow) {
		for _, m := range ecs.All[struct {
			At components.Position
			_  ecs.With[Lives]
		}](client.View()) {
			in.Fire = !fired && m.At.X > 60
		}
		fired = fired || in.Fire
		in.Seen = client.Claim(in.Fire) // all that a client needs
	}
	client, err := systems.NewClient(wire, address, range3(bolts(sights)), systems.ClientConfig{
		Start: now, Gather: systems.Gather(aim),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 240 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		client.Advance(now)
		client.Frame(now)
	}
	for s := range sights.All() {
		fmt.Printf("hit: %v, %v: on the screen at %.1f, then on the server at %.1f\n", s.Hit, s.Clamp, s.Seen.X, s.Present.X)
	}
	fmt.Println("lives left:", ecs.Get[Lives](server.World(), runner).Left)
	// Output:
	// hit: true, believed: on the screen at 60.5, then on the server at 70.0
	// lives left: 8
}
