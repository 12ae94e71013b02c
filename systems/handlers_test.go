package systems

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// hooks records for each function of the game outside of Simulate whether it can write.
type hooks map[string]string

// try reads the world, and tries to write it.
func (h hooks) try(hook string, w *ecs.World) {
	for e := range ecs.All[struct{ At place }](w) {
		_ = ecs.Get[place](w, e).X + float32(w.NetID(e))
	}
	defer func() {
		switch r := recover(); {
		case r == nil:
			h[hook] = "may"
		case h[hook] != "may": // once is too often
			h[hook] = fmt.Sprint(r)
		}
	}()
	w.Despawn(ecs.Entity{}) // of nobody
}

// Replays do not repeat what handlers do outside of Simulate. Where ticks are simulated again (on the server under
// ServerRewind, everywhere under Rollback and Lockstep), handlers can therefore read the world but not write it.
func TestNetcodeC11_HandlersDoNotWriteWhatIsReplayed(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			server, client := hooks{}, hooks{}
			log := func(h hooks) func(*outcome.Log) {
				return func(l *outcome.Log) {
					note := func(w *ecs.World, _ outcome.Outcome[boom]) { h.try("the handler of outcome systems.boom", w) }
					outcome.Handle(l, outcome.Handlers[boom]{Begin: note, Commit: note, Cancel: note})
				}
			}
			protocol := func() *ecs.Protocol {
				p := peopled()
				p.Simulate("fire", func(w *ecs.World) {
					for e, r := range ecs.Each[pawn](w) {
						if w.Tick()%16 == 0 {
							event.Raise(w, event.ToServer(), bang{r.At.X})
							event.Raise(w, event.ToOwner(e), boom{r.At.X})
							outcome.Raise(w, e, boom{r.At.X})
						}
					}
				})
				return p
			}
			events := event.NewServer(calls(), event.ServerConfig{})
			event.OnServer(events, event.Handlers[bang]{
				Validate: func(w *ecs.World, _ event.Sender, _ *bang) error {
					server.try("the handler of event systems.bang", w)
					return nil
				},
				Handle: func(w *ecs.World, _ event.Sender, v *bang) {
					server.try("the handler of event systems.bang", w)
					event.Raise(w, event.ToAll(), boom{v.X})
				},
			})
			g := newGame(t, protocol, ServerConfig{Model: preset, Events: events, Outcomes: log(server), Players: Players{Refuse: noShots()},
				Session: ServerSession{OnMessage: func(s *Server, _ uint32, _ int, _ []byte) error {
					server.try("ServerConfig.Session.OnMessage", s.World())
					return nil
				}}})
			own := event.NewClient(calls(), event.ClientConfig{})
			event.OnClient(own, func(w *ecs.World, _ event.Origin, _ *boom) { client.try("the handler of event systems.boom", w) })
			var c *Client
			c = g.join(ClientConfig{
				Events: own, Outcomes: log(client), Gather: Gather(func(c *Client, in *push) { in.DX, in.Fire = 1, c.Input()%32 == 20 }),
				Loaded:    func(w *ecs.World, _ uint32) { client.try("ClientConfig.Loaded", w) },
				OnRefused: func(Refusal) { client.try("ClientConfig.OnRefused", c.World()) },
				Session: ClientSession{OnMessage: func(c *Client, _ int, _ []byte) error {
					client.try("ClientConfig.Session.OnMessage", c.World())
					return nil
				}},
			}, netsys.Link{})
			g.connect()
			plain := []byte{100} // of a type that is no event
			for range 3 {
				g.run(60)
				if err := g.server.Session(c.ID()).Channels().Send(0, plain); err != nil {
					t.Fatal(err)
				}
				if err := c.Session().Channels().Send(0, plain); err != nil {
					t.Fatal(err)
				}
			}
			g.run(60)
			g.mustConverge()
			check := func(who string, h hooks, guarded bool, want ...string) {
				for _, hook := range want {
					switch did := h[hook]; {
					case did == "":
						t.Errorf("%s: %s was not called", who, hook)
					case guarded != (did != "may"), guarded && !strings.Contains(did, "Despawn in "+hook):
						t.Errorf("%s: %s: %s", who, hook, did)
					}
					delete(h, hook)
				}
				if len(h) > 0 {
					t.Errorf("%s: called as well: %v", who, h)
				}
			}
			everywhere := policy.Is[policy.Rollback](preset) || policy.Is[policy.Lockstep](preset)
			check("server", server, everywhere || policy.Is[policy.ServerRewind](preset),
				"the handler of event systems.bang", "the handler of outcome systems.boom", "ServerConfig.Session.OnMessage")
			want := []string{"the handler of event systems.boom", "ClientConfig.Loaded", "ClientConfig.OnRefused", "ClientConfig.Session.OnMessage"}
			if policy.Is[policy.ServerRewind](preset) || policy.Is[policy.Rollback](preset) {
				want = append(want, "the handler of outcome systems.boom")
			}
			check("client", client, everywhere, want...)
		})
	}
}
