package event_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
)

// A client handles an event of tick t when its state includes tick t.
func TestNetcodeC9_WaitsForState(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	tick(s.server, 0, s.notes(1))
	tick(s.server, 1, s.notes(2), func() { event.Raise(s.world, event.ToAll(), shout{3}) })
	s.notes(4)() // behind tick 1; the state that follows tick 2 is the first with what was done there
	s.server.Settle(2)
	s.carry()
	expect(t, e.deliver(0), "shout 3 at 1")
	expect(t, e.deliver(1), "note 1 at 0")
	expect(t, e.deliver(1))
	expect(t, e.deliver(2), "note 2 at 1")
	expect(t, e.deliver(3), "note 4 at 2")
	if st := e.client.Stats(); st.Received != 4 || st.Handled != 4 || st.Early != 0 {
		t.Errorf("%+v", st)
	}
}

// On an ordered channel an event waits for the one before it, though its tick is earlier; on an unordered one ticks decide. An
// event of a tick that was simulated again waits for a state that was captured after that.
func TestOrderOfTicks(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	sparks := func(n uint32) func() { return func() { event.Raise(s.world, event.ToAll(), spark{n}) } }
	tick(s.server, 5, s.notes(1), sparks(2))
	s.server.Rewind(3)
	tick(s.server, 3, s.notes(3), sparks(4))
	tick(s.server, 4)
	tick(s.server, 5, s.notes(1), sparks(2))
	s.server.Settle(6)
	s.carry()
	expect(t, e.deliver(5))
	expect(t, e.deliver(6), "note 1 at 5", "spark 2 at 5")
	expect(t, e.deliver(7), "note 3 at 3", "spark 4 at 3")
}

// Too many that wait are handled before their time, and none is lost.
func TestWaitingIsBounded(t *testing.T) {
	for name, c := range map[string]event.ClientConfig{"events": {Waiting: 2}, "bytes": {WaitingBytes: 8}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, event.ServerConfig{}, c)
			e := s.clients[0]
			for n := range uint32(5) {
				tick(s.server, n, s.notes(n))
			}
			s.server.Settle(5)
			e.heard = nil
			s.carry()
			expect(t, e.heard, "note 0 at 0", "note 1 at 1", "note 2 at 2")
			expect(t, e.deliver(5), "note 3 at 3", "note 4 at 4")
			if st := e.client.Stats(); st.Early != 3 || st.Handled != 5 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A handler may raise events; they go out with the next step.
func TestHandlerRaises(t *testing.T) {
	s := &stage{t: t, world: world()}
	r := kit()
	s.server = event.NewServer(r, event.ServerConfig{})
	s.server.Attach(s.world, event.Hooks{})
	event.OnServer(s.server, event.Handlers[note]{Handle: func(_ *ecs.World, from event.Sender, v *note) {
		event.Raise(s.world, event.ToAll(), note{v.N + 1})
		s.said = append(s.said, fmt.Sprint(v.N))
	}})
	e := &end{id: 1, world: world()}
	e.client = event.NewClient(r, event.ClientConfig{})
	event.OnClient(e.client, func(_ *ecs.World, _ event.Origin, v *note) {
		event.Raise(e.world, event.ToServer(), note{v.N + 1})
		e.heard = append(e.heard, fmt.Sprint(v.N))
	})
	s.clients = []*end{e}
	s.server.Join(1, 0, &e.down)
	e.client.Join(e.world, 0, &e.up)
	event.Raise(e.world, event.ToServer(), note{1})
	var heard []string
	for n := range uint32(6) {
		e.client.Settle(0)
		s.carry()
		s.server.Settle(0)
		s.carry()
		heard = append(heard, e.deliver(n)...)
	}
	expect(t, s.said, "1", "3", "5", "7", "9")
	expect(t, heard, "2", "4", "6", "8", "10")
}

// Events wait in order while a reliable channel is full. On other channels they are dropped.
func TestClientChannelFull(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	raise := func(n uint32) {
		event.Raise(e.world, event.ToServer(), note{n})
		event.Raise(e.world, event.ToServer(), spark{n})
	}
	e.up.err = channel.ErrFull
	raise(1)
	e.client.Settle(0)
	raise(2)
	e.client.Settle(0)
	e.up.err = nil
	raise(3)
	e.client.Settle(0)
	s.carry()
	expect(t, s.said, "note 1 of 1 at 0", "note 2 of 1 at 0", "note 3 of 1 at 0", "spark 3 of 1 at 0")
	if st := e.client.Stats(); st.Sent != 4 || st.Unsent != 2 {
		t.Errorf("%+v", st)
	}
}

func TestNotConnected(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	e.client.Leave()
	event.Raise(e.world, event.ToServer(), note{1})
	e.client.Settle(0)
	event.Raise(e.world, event.ToServer(), note{2})
	e.client.Join(e.world, 0, &e.up)
	event.Raise(e.world, event.ToServer(), note{3})
	e.client.Settle(0)
	s.carry()
	expect(t, s.said, "note 3 of 1 at 0")
	if st := e.client.Stats(); st.Unsent != 2 || st.Sent != 1 {
		t.Errorf("%+v", st)
	}
}

// A type without a handler is counted.
func TestUnhandled(t *testing.T) {
	r := kit()
	sw, cw := world(), world()
	server, client := event.NewServer(r, event.ServerConfig{}), event.NewClient(r, event.ClientConfig{})
	var down, up tube
	server.Attach(sw, event.Hooks{})
	server.Join(1, 0, &down)
	client.Join(cw, 0, &up)
	event.Raise(sw, event.ToAll(), note{1})
	event.Raise(cw, event.ToServer(), note{1})
	server.Settle(0)
	client.Settle(0)
	for _, m := range down.sent {
		if took, err := client.Receive(m.channel, m.data); !took || err != nil {
			t.Error(took, err)
		}
	}
	for _, m := range up.sent {
		if took, err := server.Receive(1, m.channel, m.data); !took || err != nil {
			t.Error(took, err)
		}
	}
	if c, s := client.Stats(), server.Stats(); c.Unhandled != 1 || s.Unhandled != 1 || c.Received != 1 || s.Received != 1 {
		t.Errorf("%+v\n%+v", c, s)
	}
}

func TestAbout(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	c := event.NewClient(kit(), event.ClientConfig{})
	var about components.NetID
	event.OnClient(c, func(_ *ecs.World, at event.Origin, _ *note) { about = at.About })
	e := s.world.Spawn(components.Heading{})
	event.Raise(s.world, event.ToViewers(e), note{1})
	id := s.world.NetID(e)
	s.world.Despawn(e)
	s.server.Settle(0)
	for _, m := range s.clients[0].down.sent {
		if _, err := c.Receive(m.channel, m.data); err != nil {
			t.Error(err)
		}
	}
	if c.Deliver(1, nil); about != id || id == 0 {
		t.Errorf("about %d, not %d", about, id)
	}
}

// One Client serves one connection after the other: handlers stay, all else is new.
func TestJoinsAgain(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	tick(s.server, 8, s.notes(1))
	s.server.Settle(9)
	tick(e.client, 5, e.raise(2))
	s.carry() // note 1 waits; note 2 has not gone out
	old := e.world
	e.world = world()
	e.client.Join(e.world, 0, &e.up)
	event.Raise(old, event.ToServer(), note{3})
	e.client.Settle(0)
	tick(e.client, 1, e.raise(4)) // a tick that was final in the old world
	e.client.Settle(2)
	s.carry()
	expect(t, s.said, "note 4 of 1 at 1")
	if st := e.client.Stats(); st.Unsent != 1 || st.Late != 0 {
		t.Errorf("%+v", st)
	}
	tick(s.server, 9, s.notes(6))
	s.server.Settle(10)
	s.carry()
	expect(t, e.deliver(10), "note 6 at 9")
}

// An event of another server, whose ticks start anew, does not wait for a tick of the previous server.
func TestOrderedEventsOfAnotherServer(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	tick(s.server, 5000, s.notes(1))
	s.server.Settle(5001)
	s.carry()
	expect(t, e.deliver(5001), "note 1 at 5000")

	other := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e.client.Leave()
	e.world = world()
	e.client.Join(e.world, 0, &e.up)
	other.clients[0] = e
	other.server.Join(e.id, 0, &e.down)
	tick(other.server, 3, other.notes(2))
	tick(other.server, 4, other.notes(3))
	other.server.Settle(5)
	other.carry()
	expect(t, e.deliver(4), "note 2 at 3")
	expect(t, e.deliver(5), "note 3 at 4")
}
