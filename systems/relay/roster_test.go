package relay_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/relay"
	"github.com/tactusgo/tactus/systems/timeline"
)

// What was outstanding of a player who leaves keeps nothing from being final.
func TestLeaveSettlesWhatWasOutstanding(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.step()
	m.join(1, 2, 0, 0, 0)
	m.join(2, 20, 0, 0, 0)
	for m.now < 200 {
		m.step()
	}
	if lag := m.server.Timeline().Next() - m.server.Timeline().Horizon(); lag < 18 {
		t.Errorf("%d ticks are not final while one is 20 away", lag)
	}
	m.leave(2)
	m.step()
	if lag := m.server.Timeline().Next() - m.server.Timeline().Horizon(); lag > 3 {
		t.Errorf("%d ticks are not final since it has left", lag)
	}
	for range 100 {
		m.step()
	}
	equal(t, "who plays", len(m.server.Timeline().AppendPresences(nil)), 1)
}

// Who only looks on follows and keeps nobody waiting.
func TestSpectator(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{Delay: 2}, human)
		m.step()
		m.join(1, 2, 3, 0.1, 0)
		e := m.join(2, 8, 4, 0.3, 0)
		m.server.Remove(2)
		must(t, m.server.Add(2, false))
		for m.now < 400 {
			m.step()
		}
		equal(t, "follows", e.Following(), true)
		equal(t, "plays", e.Playing() || m.server.Playing(2), false)
		if n := m.checked[2]; n < 300 {
			t.Errorf("%d final ticks were compared", n)
		}
		if n := m.server.Timeline().Next(); n < 380 {
			t.Errorf("the world made %d ticks of 400", n)
		}
	}
}

// Players come and go all the time, in the same slots.
func TestManyComeAndGo(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Peers: 6, Timeline: timeline.Config{Wait: wait, Window: 20}}, relay.ClientConfig{}, human)
		m.clocks = !wait
		m.step()
		next := uint32(0)
		for m.now < 1500 {
			if m.now%17 == 0 && len(m.ends) < 6 {
				next++
				m.join(next, 1+m.rng.IntN(4), 2, 0.1, 0.1)
			}
			if m.now%29 == 0 && len(m.ends) > 2 {
				player := m.ends[m.rng.IntN(len(m.ends))].player
				m.leave(player)
				if m.rng.IntN(2) == 0 { // and is back at once
					m.join(player, 1+m.rng.IntN(4), 2, 0.1, 0.1)
				}
			}
			m.step()
		}
		if next < 25 {
			t.Errorf("only %d players came", next)
		}
		if n := m.server.Stats().States; n > 120 {
			t.Errorf("%d states were sent", n)
		}
	}
}
