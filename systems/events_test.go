package systems

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
)

// bang is an event from a player's Simulate to the server, boom from the server's Simulate to the viewers of the player, and
// call from outside of Simulate.
type (
	bang struct {
		X float32 `net:"-512..512 step 0.01"`
	}
	boom struct {
		X float32 `net:"-512..512 step 0.01"`
	}
	call struct {
		N uint32 `net:"raw"`
	}
)

func calls() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[bang](r, event.Options{From: event.FromClients})
	event.Register[boom](r, event.Options{})
	event.Register[call](r, event.Options{From: event.FromServer | event.FromClients})
	return r
}

// firing returns the plaza with shots as events. The server pushes pawns.
func firing() *ecs.Protocol {
	p := plaza()
	p.Simulate("fire", func(w *ecs.World) {
		for e, r := range ecs.Each[pawn](w) {
			if r.In.Fire {
				event.Raise(w, event.ToServer(), bang{r.At.X})
				event.Raise(w, event.ToViewers(e), boom{r.At.X})
			}
		}
	})
	p.Authority("push", func(w *ecs.World) {
		if w.Tick()%16 == 0 {
			for _, r := range ecs.Each[pawn](w) {
				r.At.X = -r.At.X + 3
			}
		}
	})
	return p
}

// Players shoot over a bad link with constant corrections, and each shot is sent once.
func TestEventsAcrossReplays(t *testing.T) {
	type key struct{ client, at uint32 }
	bangs, booms := map[key]int{}, map[string]int{}
	events := event.NewServer(calls(), event.ServerConfig{})
	event.OnServer(events, event.Handlers[bang]{Handle: func(_ *ecs.World, from event.Sender, _ *bang) {
		bangs[key{from.Client, from.Input}]++
	}})
	event.OnServer(events, event.Handlers[call]{Handle: func(w *ecs.World, from event.Sender, v *call) {
		event.Raise(w, event.ToAll(), call{v.N})
	}})
	g := newGame(t, joining(firing, spawnPawn), ServerConfig{Events: events})
	said := map[string]int{}
	for n := range 3 {
		mine := event.NewClient(calls(), event.ClientConfig{})
		event.OnClient(mine, func(_ *ecs.World, at event.Origin, v *boom) {
			c := g.clients[n]
			if at.Tick >= c.ServerTick() || at.About == 0 {
				t.Errorf("a boom of tick %d about %d in state %d", at.Tick, at.About, c.ServerTick())
			}
			booms[fmt.Sprint(n, at.Tick, at.About)]++
		})
		event.OnClient(mine, func(_ *ecs.World, _ event.Origin, v *call) { said[fmt.Sprint(n, v.N)]++ })
		g.join(ClientConfig{Events: mine, Gather: Gather(func(c *Client, in *push) {
			in.DX = int8(c.World().Tick()%3) - 1
			in.Fire = c.Input()%7 == 0
		})}, netsys.Link{Latency: 80 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.1})
	}
	g.connect()
	for n := range uint32(600) {
		if n%50 == 0 {
			event.Raise(g.clients[1].World(), event.ToServer(), call{n})
		}
		g.run(1)
	}
	g.run(120)
	if _, err := NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), firing(), ServerConfig{Events: events}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server with the same events: %v", err)
	}
	resimulated := uint64(0)
	for n, c := range g.clients {
		fired := 0
		for k, times := range bangs {
			if k.client == c.ID() {
				fired++
				if times != 1 {
					t.Errorf("%v told %d times", k, times)
				}
			}
		}
		resimulated += c.Stats().Resimulated
		if want := int(c.Input()) / 7; fired < want-6 || fired > want {
			t.Errorf("client %d: %d of %d shots told", n, fired, want)
		}
	}
	for what, times := range booms {
		if times != 1 {
			t.Errorf("boom %s heard %d times", what, times)
		}
	}
	if len(said) != 36 || resimulated < 1000 || len(booms) < 200 || events.Stats().Unsent > 0 {
		t.Errorf("%d calls heard, %d ticks simulated again, %d booms, %+v", len(said), resimulated, len(booms), events.Stats())
	}
	t.Logf("%d ticks simulated again; server %+v", resimulated, events.Stats())
}
