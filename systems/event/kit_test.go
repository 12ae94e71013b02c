package event_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// The types of events of these tests: reliable and unreliable ones, one that waits for
// the horizon, one that clients do not wait for, and one that is for the server alone.
type (
	note struct {
		N uint32 `net:"raw"`
	}
	spark struct {
		N uint32 `net:"raw"`
	}
	verdict struct {
		N uint32 `net:"raw"`
	}
	shout struct {
		N uint32 `net:"raw"`
	}
	ask struct {
		N uint8 `net:"0..99"`
	}
	plain struct {
		N uint8 `net:"0..99"`
	} // a message that is no event
)

const both = event.FromServer | event.FromClients

// kit returns a registry of all these events.
func kit() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[note](r, event.Options{From: both, Rate: 10_000})
	event.Register[spark](r, event.Options{From: both, Channel: "signal", Rate: 10_000})
	event.Register[verdict](r, event.Options{From: both, Final: true, Rate: 10_000})
	event.Register[shout](r, event.Options{Early: true})
	event.Register[ask](r, event.Options{From: event.FromClients, Rate: 6, Burst: 3, Tell: true})
	return r
}

func world() *ecs.World { return ecs.NewWorld(testgame.Stage(), ecs.Config{}) }

// message is a message on a channel.
type message struct {
	channel int
	data    []byte
}

// tube is the channels to one peer. It keeps the sent messages, or refuses them.
type tube struct {
	sent []message
	err  error
}

func (t *tube) Send(number int, data []byte) error {
	if t.err != nil {
		return t.err
	}
	t.sent = append(t.sent, message{number, slices.Clone(data)})
	return nil
}

// stage is a server and two clients without a network. It records the calls of their handlers.
type stage struct {
	t       *testing.T
	server  *event.Server
	world   *ecs.World
	clients []*end
	said    []string // to the server
}

// end is a client, and the channels both ways.
type end struct {
	id       uint32
	client   *event.Client
	world    *ecs.World
	down, up tube
	heard    []string
	refusals []event.Refusal
}

func newStage(t *testing.T, sc event.ServerConfig, cc event.ClientConfig) *stage {
	return newStageWith(t, sc, cc, event.Hooks{})
}

func newStageWith(t *testing.T, sc event.ServerConfig, cc event.ClientConfig, hooks event.Hooks) *stage {
	r := kit()
	s := &stage{t: t, world: world()}
	s.server = event.NewServer(r, sc)
	s.server.Attach(s.world, hooks)
	say := func(from event.Sender, kind string, n uint32) {
		s.said = append(s.said, fmt.Sprintf("%s %d of %d at %d", kind, n, from.Client, from.Input))
	}
	onServer(s.server, say)
	event.OnServer(s.server, event.Handlers[ask]{
		Validate: func(_ *ecs.World, _ event.Sender, v *ask) error {
			if v.N > 50 {
				return fmt.Errorf("%d is too much", v.N)
			}
			return nil
		},
		Handle: func(_ *ecs.World, from event.Sender, v *ask) { say(from, "ask", uint32(v.N)) },
	})
	for id := range uint32(2) {
		e := &end{id: id + 1, world: world()}
		c := cc
		c.OnRefusal = func(r event.Refusal) { e.refusals = append(e.refusals, r) }
		e.client = event.NewClient(r, c)
		hear := func(at event.Origin, kind string, n uint32) {
			e.heard = append(e.heard, fmt.Sprintf("%s %d at %d", kind, n, at.Tick))
		}
		onClient(e.client, hear)
		event.OnClient(e.client, func(_ *ecs.World, at event.Origin, v *shout) { hear(at, "shout", v.N) })
		e.client.Join(e.world, 0, &e.up)
		s.server.Join(e.id, 0, &e.down)
		s.clients = append(s.clients, e)
	}
	return s
}

// onServer handles notes, sparks and verdicts.
func onServer(s *event.Server, say func(from event.Sender, kind string, n uint32)) {
	event.OnServer(s, event.Handlers[note]{Handle: func(_ *ecs.World, from event.Sender, v *note) { say(from, "note", v.N) }})
	event.OnServer(s, event.Handlers[spark]{Handle: func(_ *ecs.World, from event.Sender, v *spark) { say(from, "spark", v.N) }})
	event.OnServer(s, event.Handlers[verdict]{Handle: func(_ *ecs.World, from event.Sender, v *verdict) { say(from, "verdict", v.N) }})
}

// onClient handles them there.
func onClient(c *event.Client, hear func(at event.Origin, kind string, n uint32)) {
	event.OnClient(c, func(_ *ecs.World, at event.Origin, v *note) { hear(at, "note", v.N) })
	event.OnClient(c, func(_ *ecs.World, at event.Origin, v *spark) { hear(at, "spark", v.N) })
	event.OnClient(c, func(_ *ecs.World, at event.Origin, v *verdict) { hear(at, "verdict", v.N) })
}

// raise raises one of them.
func raise(w *ecs.World, to event.Target, kind string, n uint32) {
	switch kind {
	case "note":
		event.Raise(w, to, note{n})
	case "spark":
		event.Raise(w, to, spark{n})
	case "verdict":
		event.Raise(w, to, verdict{n})
	}
}

// stepper is either side.
type stepper interface {
	Rewind(from uint32)
	Start(tick uint32)
	Done()
	Settle(horizon uint32)
}

// tick simulates a tick that raises events.
func tick(s stepper, n uint32, raise ...func()) {
	s.Start(n)
	for _, f := range raise {
		f()
	}
	s.Done()
}

// carry delivers the sent messages to the other side, without loss.
func (s *stage) carry() {
	s.t.Helper()
	for _, e := range s.clients {
		for _, m := range e.up.sent {
			if took, err := s.server.Receive(e.id, m.channel, m.data); err != nil || !took {
				s.t.Errorf("server takes %x: %v, %v", m.data, took, err)
			}
		}
		for _, m := range e.down.sent {
			if took, err := e.client.Receive(m.channel, m.data); err != nil || !took {
				s.t.Errorf("client takes %x: %v, %v", m.data, took, err)
			}
		}
		e.up.sent, e.down.sent = nil, nil
	}
}

// deliver returns the events that a client delivers when its state has reached a tick.
func (e *end) deliver(ticks uint32) []string {
	e.heard = nil
	e.client.Deliver(ticks, nil)
	return e.heard
}

// expect compares the delivered events with the expected ones.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
