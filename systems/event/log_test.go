package event_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// raise returns a note for the server, notes one for all clients.
func (e *end) raise(n uint32) func() {
	return func() { event.Raise(e.world, event.ToServer(), note{n}) }
}
func (s *stage) notes(n uint32) func() {
	return func() { event.Raise(s.world, event.ToAll(), note{n}) }
}

func TestRaisedAgain(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second []uint32
		sent          []string
		unfounded     uint64
		changed       uint64
	}{
		{"the same", []uint32{1, 2}, []uint32{1, 2}, []string{"note 1 of 1 at 7", "note 2 of 1 at 7"}, 0, 0},
		{"in another order", []uint32{1, 2}, []uint32{2, 1}, []string{"note 1 of 1 at 7", "note 2 of 1 at 7"}, 0, 0},
		{"one more", []uint32{1}, []uint32{2, 1}, []string{"note 1 of 1 at 7", "note 2 of 1 at 7"}, 0, 0},
		{"another value", []uint32{1}, []uint32{2}, []string{"note 1 of 1 at 7"}, 0, 1},
		{"another value and one more", []uint32{1}, []uint32{2, 3}, []string{"note 1 of 1 at 7", "note 3 of 1 at 7"}, 0, 1},
		{"twice the same", []uint32{1, 1}, []uint32{1, 1, 1}, []string{"note 1 of 1 at 7", "note 1 of 1 at 7", "note 1 of 1 at 7"}, 0, 0},
		{"not again", []uint32{1, 2}, []uint32{2}, []string{"note 1 of 1 at 7", "note 2 of 1 at 7"}, 1, 0},
		{"first now", nil, []uint32{4}, []string{"note 4 of 1 at 7"}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
			e := s.clients[0]
			run := func(ns []uint32) {
				e.client.Start(7)
				for _, n := range ns {
					e.raise(n)()
				}
				e.client.Done()
				e.client.Settle(7)
			}
			run(test.first)
			for range 3 {
				e.client.Rewind(6)
				run(test.second)
			}
			e.client.Settle(8)
			s.carry()
			expect(t, s.said, test.sent...)
			if st := e.client.Stats(); st.Unfounded != test.unfounded || st.Changed != test.changed || st.Raised != uint64(len(test.sent)) {
				t.Errorf("%+v", st)
			}
			if st := e.client.Stats(); test.name == "the same" && st.Repeated != uint64(len(test.first)+2*len(test.second)) {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A tick that raised an event, then not, then again, has sent it once.
func TestComesAndGoes(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	tick(e.client, 3, e.raise(1))
	tick(e.client, 3)
	tick(e.client, 3, e.raise(1))
	e.client.Settle(4)
	s.carry()
	expect(t, s.said, "note 1 of 1 at 3")
	if st := e.client.Stats(); st.Unfounded != 0 {
		t.Errorf("%+v", st)
	}
	tick(e.client, 4, e.raise(2))
	e.client.Rewind(4) // and never simulated again
	e.client.Settle(5)
	if st := e.client.Stats(); st.Unfounded != 1 || st.Sent != 2 {
		t.Errorf("%+v", st)
	}
	tick(e.client, 4, e.raise(2))
	if st := e.client.Stats(); st.Late != 1 {
		t.Errorf("%+v", st)
	}
}

// The clock goes back: an event of a discarded tick has been sent, and a later simulation of the tick sends its own.
func TestDiscarded(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	tick(e.client, 3, e.raise(1))
	tick(e.client, 4, e.raise(2))
	tick(e.client, 90, e.raise(2))
	e.client.Settle(3)
	e.client.Discard(4)
	e.raise(3)() // outside of ticks
	tick(e.client, 4, e.raise(2))
	e.client.Settle(5)
	s.carry()
	expect(t, s.said, "note 1 of 1 at 3", "note 2 of 1 at 4", "note 2 of 1 at 90", "note 3 of 1 at 3", "note 2 of 1 at 4")
	if st := e.client.Stats(); st.Unfounded != 2 || st.Late != 0 {
		t.Errorf("%+v", st)
	}
}

func TestFinal(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	raise := func(n uint32) func() {
		return func() { event.Raise(s.world, event.ToAll(), verdict{n}) }
	}
	tick(s.server, 0, raise(1))
	tick(s.server, 1, raise(2))
	tick(s.server, 2, raise(3))
	s.server.Settle(0)
	s.server.Rewind(1)
	tick(s.server, 1)
	tick(s.server, 2, raise(4), s.notes(5))
	s.server.Settle(2)
	s.carry()
	expect(t, s.clients[0].deliver(3))
	expect(t, s.clients[0].deliver(4), "note 5 at 2", "verdict 1 at 0") // it was sent later
	s.server.Rewind(2)
	s.server.Settle(3) // tick 2 was never simulated again
	s.carry()
	expect(t, s.clients[0].deliver(3))
	tick(s.server, 3, raise(6))
	s.server.Settle(4)
	raise(7)() // outside nothing waits
	s.server.Settle(4)
	s.carry()
	expect(t, s.clients[0].deliver(5), "verdict 6 at 3", "verdict 7 at 4")
}

// ForceRollback runs Simulate twice within one call of it.
func TestForcedRollback(t *testing.T) {
	p := testgame.Stage()
	var server *event.Server
	p.Simulate("start", func(w *ecs.World) { server.Start(w.Tick()) })
	p.Simulate("ring", func(w *ecs.World) { event.Raise(w, event.ToAll(), note{w.Tick()}) })
	w := ecs.NewWorld(p, ecs.Config{})
	server = event.NewServer(kit(), event.ServerConfig{})
	server.Attach(w, event.Hooks{})
	var down tube
	server.Join(1, 0, &down)
	w.ForceRollback(nil)
	for n := range uint32(5) {
		w.Netcode().SetTick(n)
		server.Start(n)
		w.Netcode().SimulateStage().Run(w)
		server.Done()
		server.Settle(n + 1)
	}
	if len(down.sent) != 5 || server.Stats().Repeated != 0 {
		t.Errorf("%d sent, %+v", len(down.sent), server.Stats())
	}
}

func TestLimit(t *testing.T) {
	s := newStage(t, event.ServerConfig{Limit: 3}, event.ClientConfig{})
	tick(s.server, 0, s.notes(1), s.notes(2), s.notes(3), s.notes(4))
	tick(s.server, 1, s.notes(5))
	s.server.Settle(2)
	tick(s.server, 2, s.notes(6))
	s.server.Settle(3)
	for n := range uint32(5) {
		s.notes(10 + n)()
	}
	s.server.Settle(3)
	s.carry()
	expect(t, s.clients[1].deliver(9), "note 1 at 0", "note 2 at 0", "note 3 at 0", "note 6 at 2",
		"note 10 at 3", "note 11 at 3", "note 12 at 3")
	if st := s.server.Stats(); st.Overflowed != 4 {
		t.Errorf("%+v", st)
	}
}

// Raise ignores targets that only the other side sends to, so that Simulate is the same on both sides.
func TestOtherSide(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	event.Raise(s.world, event.ToServer(), note{1})
	event.Raise(e.world, event.ToAll(), note{2})
	event.Raise(world(), event.ToAll(), note{3}) // a world without events
	s.server.Settle(0)
	e.client.Settle(0)
	if len(e.up.sent)+len(e.down.sent) != 0 {
		t.Errorf("sent %v and %v", e.up.sent, e.down.sent)
	}
}

func TestMisuse(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	type stranger struct {
		N uint8 `net:"0..9"`
	}
	for word, f := range map[string]func(){
		"register the type":                  func() { event.Raise(s.world, event.ToAll(), stranger{}) },
		"from clients":                       func() { event.Raise(s.world, event.ToAll(), ask{}) },
		"from server: choose another target": func() { event.Raise(e.world, event.ToServer(), shout{}) },
		"from both: choose another target":   func() { event.Raise(s.world, event.Target{}, note{}) },
		"Start first":                        func() { s.server.Done() },
		"already has a Server or Client":     func() { event.NewServer(kit(), event.ServerConfig{}).Attach(s.world, event.Hooks{}) },
		"ServerConfig.Limit":                 func() { event.NewServer(kit(), event.ServerConfig{Limit: -1}) },
		"ClientConfig.Waiti":                 func() { event.NewClient(kit(), event.ClientConfig{Waiting: -1}) },
		"OnServer[event_test": func() {
			event.OnServer(s.server, event.Handlers[note]{Handle: func(*ecs.World, event.Sender, *note) {}})
		},
		"from server":           func() { event.OnServer(s.server, event.Handlers[shout]{}) },
		"Handle is nil":         func() { event.OnServer(s.server, event.Handlers[note]{}) },
		"already has a handler": func() { event.OnClient(e.client, func(*ecs.World, event.Origin, *note) {}) },
		"event_test.ask]":       func() { event.OnClient(e.client, func(*ecs.World, event.Origin, *ask) {}) },
	} {
		testgame.MustPanic(t, word, word, f)
	}
	s.server.Start(1)
	testgame.MustPanic(t, "Start", "Done first", func() { s.server.Start(2) })
	testgame.MustPanic(t, "Rewind", "Done first", func() { s.server.Rewind(0) })
	testgame.MustPanic(t, "Settle", "Done first", func() { s.server.Settle(0) })
}
