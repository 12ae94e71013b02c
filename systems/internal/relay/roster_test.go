package relay_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Missing inputs of a departed player do not keep ticks from being final.
func TestLeaveSettlesWhatWasOutstanding(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	m.join(2, 20, 0, 0, 0)
	m.until(200)
	if lag := m.server.Timeline().Next() - m.server.Timeline().Horizon(); lag < 18 {
		t.Errorf("%d ticks are not final while one is 20 away", lag)
	}
	m.leave(2)
	m.step()
	if lag := m.server.Timeline().Next() - m.server.Timeline().Horizon(); lag > 3 {
		t.Errorf("%d ticks are not final since it has left", lag)
	}
	m.run(100)
	testgame.Equal(t, "who plays", len(m.server.Timeline().AppendPresences(nil)), 1)
}

// A spectator follows the match and delays nobody.
func TestSpectator(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{Delay: 2}, human)
		m.join(1, 2, 3, 0.1, 0)
		e := m.join(2, 8, 4, 0.3, 0)
		m.server.Remove(2)
		testgame.Must(t, m.server.Add(2, false, ""))
		m.until(400)
		testgame.Equal(t, "follows", e.Following(), true)
		testgame.Equal(t, "plays", e.Playing() || m.server.Playing(2), false)
		if n := m.checked[2]; n < 300 {
			t.Errorf("%d final ticks were compared", n)
		}
		if n := m.server.Timeline().Next(); n < 380 {
			t.Errorf("the world made %d ticks of 400", n)
		}
	}
}

// Each input of a player is counted once: as waiting until its tick, then as consumed.
func TestInputsThatWaitAreCountedApart(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{Delay: 10}, human)
	e := m.join(1, 2, 0, 0, 0)
	m.until(200)
	n, first := m.server.Inputs(1), m.server.Timeline().AppendPresences(nil)[0].First
	next := m.server.Timeline().Next()
	if n.Waiting < 4 || n.Waiting > e.Delay() {
		t.Errorf("%d inputs wait, which are given ten ticks before and take two to come", n.Waiting)
	}
	testgame.Equal(t, "consumed, given up and late", n.Consumed+uint64(n.Missing)+uint64(n.Late), uint64(next-first))
}

// The places of departed players are reused, although some client has always missed some leave.
func TestSlotsAreUsedAgain(t *testing.T) {
	m := newMatch(t, relay.Config{Timeline: timeline.Config{Window: 20}}, relay.ClientConfig{}, human)
	m.join(1, 12, 0, 0, 0)
	most := 0
	for next := uint32(2); m.now < 1200; m.step() {
		switch m.now % 20 {
		case 0:
			m.join(next, 1, 0, 0, 0)
		case 19:
			m.leave(next)
			next++
		}
		most = max(most, m.server.Slots())
	}
	if most < 3 || most > 8 {
		t.Errorf("%d slots where no more than two play at a time", most)
	}
}

// A client decodes the inputs of a departed player as long as the server repeats them: their baseline determines their length,
// and so the position of the next player's inputs.
func TestInputsOfThoseWhoLeftAreRead(t *testing.T) {
	for seed := range 4 {
		play := func(player uint32, frame int) steer { return always(player, frame+1000*seed) }
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Window: 20}}, relay.ClientConfig{Timeline: timeline.Config{Window: 20}}, play)
		deaf := m.join(1, 2, 0, 0, 0)
		m.join(2, 2, 0, 0, 0)
		m.join(3, 2, 0, 0, 0)
		m.until(100)
		deaf.up.loss = 1 // the server does not learn what this client has
		m.run(3)
		m.leave(2)
		m.run(60)
		deaf.up.loss = 0
		m.run(60)
		if st := deaf.Stats(); st.Malformed > 0 {
			t.Fatalf("seed %d: %+v", seed, st)
		}
	}
}
