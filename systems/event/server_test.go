package event_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
)

// Each target selects its receivers: the owner, the viewers, all clients, or one client.
func TestTargets(t *testing.T) {
	var seen components.NetID
	s := newStageWith(t, event.ServerConfig{}, event.ClientConfig{}, event.Hooks{Sees: func(_ *ecs.World, about event.Subject, client uint32) bool {
		return client == 2 && about.NetID == seen
	}})
	mine := s.world.Spawn(components.Heading{}, components.Owner{Client: 1})
	free := s.world.Spawn(components.Heading{})
	seen = s.world.NetID(free)
	one, two := s.clients[0], s.clients[1]
	tick(s.server, 0, func() {
		event.Raise(s.world, event.ToOwner(mine), note{1})
		event.Raise(s.world, event.ToOwner(free), note{2})
		event.Raise(s.world, event.ToViewers(mine), note{3})
		event.Raise(s.world, event.ToViewers(free), note{4})
		event.Raise(s.world, event.ToAll(), note{5})
		event.Raise(s.world, event.ToClient(2), note{6})
		event.Raise(s.world, event.ToClient(7), note{7})
	})
	seen = s.world.NetID(mine)
	s.world.Despawn(mine)
	s.server.Settle(1)
	s.carry()
	expect(t, one.deliver(1), "note 1 at 0", "note 3 at 0", "note 5 at 0")
	expect(t, two.deliver(1), "note 3 at 0", "note 5 at 0", "note 6 at 0")

	s.server.Leave(1)
	s.notes(8)()
	s.server.Settle(1)
	s.server.Join(1, 0, &one.down) // too late for that one
	s.notes(9)()
	s.server.Settle(1)
	s.carry()
	expect(t, one.deliver(9), "note 9 at 1")
	expect(t, two.deliver(9), "note 8 at 1", "note 9 at 1")
}

// The same event about another entity, or for another client, is another one.
func TestTargetsAreToldApart(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	one, two := s.world.Spawn(components.Heading{}), s.world.Spawn(components.Heading{})
	run := func(targets ...event.Target) {
		s.server.Start(4)
		for _, to := range targets {
			event.Raise(s.world, to, note{1})
		}
		s.server.Done()
	}
	run(event.ToViewers(one), event.ToClient(1))
	run(event.ToViewers(two), event.ToClient(2))
	run(event.ToViewers(one), event.ToAll())
	if st := s.server.Stats(); st.Raised != 5 || st.Repeated != 1 {
		t.Errorf("%+v", st)
	}
	s.server.Settle(5)
	if st := s.server.Stats(); st.Unfounded != 3 {
		t.Errorf("%+v", st)
	}
}

// With a Rate of six per second and a Burst of three, excess events are dropped, logged once, and reported once in a row. One
// client's excess does not affect others.
func TestNetcodeC9_RateLimit(t *testing.T) {
	var log bytes.Buffer
	s := newStage(t, event.ServerConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))}, event.ClientConfig{})
	one, two := s.clients[0], s.clients[1]
	flood := func(e *end, n int) (accepted int) {
		s.said = nil
		for i := range n {
			event.Raise(e.world, event.ToServer(), ask{uint8(i)})
		}
		e.client.Settle(0)
		s.carry()
		s.server.Settle(0)
		return len(s.said)
	}
	if got := flood(one, 10); got != 3 {
		t.Errorf("%d of a burst", got)
	}
	if got := flood(two, 2); got != 2 {
		t.Errorf("%d of another client", got)
	}
	s.carry()
	if len(one.refusals) != 1 || one.refusals[0].Reason != event.Limited || len(two.refusals) != 0 {
		t.Errorf("told %v and %v", one.refusals, two.refusals)
	}
	accepted, now := 0, uint32(0)
	for range 600 { // ten seconds
		tick(s.server, now)
		now++
		accepted += flood(one, 2)
	}
	if accepted != 60 {
		t.Errorf("%d in ten seconds, not 60", accepted)
	}
	for range 600 {
		tick(s.server, now)
		now++
	}
	if got := flood(one, 10); got != 3 {
		t.Errorf("%d after a rest: the account has no bottom", got)
	}
	if n := strings.Count(log.String(), "event refused"); n != 1 || !strings.Contains(log.String(), "event_test.ask") {
		t.Errorf("logged %d times:\n%s", n, log.String())
	}
	if st := s.server.Stats(); st.Limited != 7+(1200-60)+7 || st.Handled != 3+2+60+3 {
		t.Errorf("%+v", st)
	}
}

// An event that Validate refuses is not handled, and its sender gets the reason as one word.
func TestRefused(t *testing.T) {
	var log bytes.Buffer
	s := newStage(t, event.ServerConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))}, event.ClientConfig{})
	e := s.clients[0]
	tick(e.client, 41, func() {
		for _, n := range []uint8{60, 50, 70} {
			event.Raise(e.world, event.ToServer(), ask{n})
		}
	})
	e.client.Settle(41)
	s.carry() // both ways
	expect(t, s.said, "ask 50 of 1 at 41")
	s.carry()
	want := event.Refusal{Type: "event_test.ask", Input: 41, Reason: event.Invalid}
	if len(e.refusals) != 2 || e.refusals[0] != want || e.refusals[1] != want {
		t.Errorf("told %v", e.refusals)
	}
	if got := want.Reason.String() + event.Limited.String() + event.Reason(9).String(); got != "invalidlimitedreason 9" {
		t.Error(got)
	}
	if st := s.server.Stats(); st.Refused != 2 || st.Handled != 1 || st.Refusals != 2 {
		t.Errorf("%+v", st)
	}
	if n := strings.Count(log.String(), "60 is too much"); n != 1 || strings.Contains(log.String(), "70 is") {
		t.Errorf("logged:\n%s", log.String())
	}
}

// A client whose reliable channel is full gets its events when there is room. If too many events wait, the client is reported
// as broken and gets no more events.
func TestBroken(t *testing.T) {
	var broken []uint32
	var s *stage
	s = newStageWith(t, event.ServerConfig{Limit: 2}, event.ClientConfig{}, event.Hooks{Broken: func(client uint32, err error) {
		broken = append(broken, client)
		if !errors.Is(err, channel.ErrFull) {
			t.Error(err)
		}
		if len(broken) == 2 {
			s.server.Leave(client)
		}
	}})
	one, two := s.clients[0], s.clients[1]
	one.down.err = channel.ErrFull
	event.Raise(s.world, event.ToAll(), spark{1})
	s.server.Settle(0)
	if len(broken) != 0 {
		t.Error("broken by an unreliable event")
	}
	s.notes(2)()
	s.server.Settle(0)
	one.down.err = nil
	s.notes(3)()
	s.server.Settle(0)
	s.carry()
	expect(t, one.deliver(9), "note 2 at 0", "note 3 at 0")
	expect(t, two.deliver(9), "spark 1 at 0", "note 2 at 0", "note 3 at 0")
	one.down.err = channel.ErrFull
	for range 3 {
		s.notes(4)()
		s.server.Settle(0)
	}
	one.down.err = nil
	s.server.Settle(0)
	s.carry()
	expect(t, one.deliver(9))
	expect(t, two.deliver(9), "note 4 at 0", "note 4 at 0", "note 4 at 0")
	if len(broken) != 1 || broken[0] != 1 {
		t.Errorf("broken %v", broken)
	}
	s.server.Join(1, 0, &one.down)
	s.notes(5)()
	s.server.Settle(0)
	s.carry()
	expect(t, one.deliver(9), "note 5 at 0")
	one.down.err = channel.ErrFull
	for range 4 {
		s.notes(6)()
		s.server.Settle(0)
	}
	if len(broken) != 2 {
		t.Errorf("broken %v", broken)
	}
}

// For a client without a session the newest reliable events are kept, up to the limit, and nothing that may be lost.
func TestSuspend(t *testing.T) {
	s := newStage(t, event.ServerConfig{Limit: 2}, event.ClientConfig{})
	one := s.clients[0]
	s.server.Suspend(1)
	one.client.Leave()
	for n := range uint32(4) {
		event.Raise(s.world, event.ToAll(), spark{n})
		s.notes(n)()
		s.server.Settle(0)
	}
	s.carry()
	expect(t, one.deliver(9))
	s.server.Join(1, 1, &one.down)
	one.client.Resume(world(), 1, &one.up)
	s.server.Settle(0)
	s.carry()
	expect(t, one.deliver(9), "note 2 at 0", "note 3 at 0")
}
