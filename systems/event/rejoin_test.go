package event_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/event"
)

// An event of another server, whose ticks begin anew, waits for no tick of the one before.
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
	e.client.Join(e.world, &e.up)
	other.clients[0] = e
	other.server.Join(e.id, &e.down)
	tick(other.server, 3, other.notes(2))
	tick(other.server, 4, other.notes(3))
	other.server.Settle(5)
	other.carry()
	expect(t, e.deliver(4), "note 2 at 3")
	expect(t, e.deliver(5), "note 3 at 4")
}
