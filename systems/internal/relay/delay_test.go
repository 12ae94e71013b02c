package relay_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
)

// walked is how far a player has come in the server's world.
func (m *match) walked(player uint32) int32 {
	for _, r := range ecs.Each[struct {
		Owner  *components.Owner
		Place  *place
		Health *health
	}](m.server.Timeline().World()) {
		if r.Owner.Client == player {
			return r.Place.X - 5*int32(player)
		}
	}
	m.t.Fatalf("player %d is not there", player)
	return 0
}

// forwards is a player who holds a key and never lets go.
func forwards(uint32, int) steer { return steer{DX: 1} }

// When a way becomes longer, lockstep takes a longer delay: the ticks that this puts between two inputs are played with
// what was held, and nobody who walks stops. When it is short again the delay goes, a tick at a time.
func TestDelayFollowsTheWay(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, forwards)
	m.step()
	e := m.join(1, 2, 0, 0, 0)
	for m.now < 200 {
		m.step()
	}
	before, begun, walked := e.Delay(), m.server.Timeline().Next(), m.walked(1)
	e.up.latency, e.down.latency = 9, 9
	for range 100 {
		m.step()
	}
	longer := e.Delay()
	if before > 7 || longer < 18 {
		t.Errorf("a delay of %d ticks for a round trip of 4, %d for 18", before, longer)
	}
	equal(t, "ticks that the player has walked", m.walked(1)-walked, int32(m.server.Timeline().Next()-begun))
	e.up.latency, e.down.latency = 2, 2
	last := longer
	for range 900 {
		m.step()
		if n := e.Delay(); n < last-1 {
			t.Errorf("tick %d: the delay falls from %d to %d", m.now, last, n)
		}
		last = e.Delay()
	}
	if last > before+1 {
		t.Errorf("a delay of %d ticks when the round trip takes 4 again, %d before", last, before)
	}
	equal(t, "ticks that the player has walked", m.walked(1)-walked, int32(m.server.Timeline().Next()-begun))
}

// As often as a client under lockstep is said to be able to step, it can.
func TestClientStepsAsFarAsItIsAhead(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, human)
	m.step()
	m.join(1, 2, 0, 0, 0)
	e := m.join(2, 4, 0, 0, 0)
	for m.now < 200 {
		m.step()
	}
	m.frame(e)
	equal(t, "ahead, when all is simulated", e.Ahead(), 0)
	for range 10 { // it hears, and does not step
		m.now++
		m.server.Step()
		e.down.send(m.now, m.server.Append(nil, 2, e.down.seq, m.limit))
		e.down.arrived(m.now, func(p packet) { must(t, e.Receive(p.seq, p.data)) })
	}
	ahead, steps := e.Ahead(), 0
	for e.Step(words(steer{})) {
		steps++
	}
	if ahead < 2 || ahead != steps {
		t.Errorf("%d ticks ahead, and it stepped %d times", ahead, steps)
	}
	equal(t, "ahead then", e.Ahead(), 0)
}
