package relay_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func lockstep() relay.Config { return relay.Config{Timeline: timeline.Config{Wait: true}} }

// Everybody's inputs show after the longest round trip of all, whatever the own one is.
func TestNetcodeB7_LockstepHasOneDelayForAll(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, human)
	m.step()
	latencies := []int{2, 9, 5}
	for i, l := range latencies {
		m.join(uint32(i+1), l, 0, 0, 0)
	}
	for m.now < 1500 {
		m.step()
	}
	m.report()
	begun := m.server.Timeline().Next()
	for _, e := range m.ends {
		e.answered = e.answered[:0]
	}
	for range 500 {
		m.step()
	}
	equal(t, "ticks of the server in 500", int(m.server.Timeline().Next()-begun), 500)
	longest := 2 * latencies[1]
	for _, e := range m.ends {
		slices.Sort(e.answered)
		median := e.answered[len(e.answered)/2]
		equal(t, "delay", e.Delay(), m.ends[0].Delay())
		if median < longest || median > longest+3 {
			t.Errorf("player %d: its input shows after %d ticks, the longest round trip is %d", e.player, median, longest)
		}
		equal(t, "simulated again", e.Timeline().Stats().Resimulated, 0)
	}
	equal(t, "simulated again by the server", m.server.Timeline().Stats().Resimulated, 0)
	equal(t, "given up", m.server.Stats().Filled, 0)

	// Without the one whose trip is the longest the others' needs are enough.
	m.leave(2)
	begun = m.server.Timeline().Next()
	for range 300 {
		m.step()
	}
	equal(t, "ticks of the server in 300", int(m.server.Timeline().Next()-begun), 300)
	if n := m.ends[0].Delay(); n < 10 || n > 13 {
		t.Errorf("a delay of %d ticks, where the longest round trip takes 10", n)
	}
}

func TestLockstepAgreesOverTerribleLinks(t *testing.T) {
	ticks := 2500
	if testing.Short() || race.Enabled {
		ticks = 900
	}
	for _, peers := range []int{3, 8} {
		t.Run(fmt.Sprint(peers), func(t *testing.T) {
			m := newMatch(t, lockstep(), relay.ClientConfig{}, human)
			for range 20 {
				m.step()
			}
			for p := range peers {
				m.join(uint32(p+1), 2+p%5, 6, 0.3, 0.1)
			}
			next := uint32(100)
			for m.now < ticks {
				m.step()
				switch m.now % 400 {
				case 150:
					m.leave(m.ends[m.rng.IntN(len(m.ends))].player)
				case 230:
					next++
					m.join(next, 3, 8, 0.3, 0.1)
				}
			}
			m.report()
			for _, e := range m.ends {
				equal(t, fmt.Sprintf("player %d plays", e.player), e.Playing(), true)
				equal(t, "simulated again", e.Timeline().Stats().Resimulated, 0)
			}
			if n := int(m.server.Timeline().Next()); n < ticks*8/10 {
				t.Errorf("the world made %d ticks of %d", n, ticks)
			}
		})
	}
}

func TestLockstepGoesOnWithoutWhoIsSilent(t *testing.T) {
	c := lockstep()
	c.Stall = 20
	m := newMatch(t, c, relay.ClientConfig{}, human)
	m.step()
	m.join(1, 2, 0, 0, 0)
	silent := m.join(2, 3, 0, 0, 0)
	for m.now < 300 {
		m.step()
	}
	silent.up.dead = true
	before := m.server.Timeline().Next()
	for range 100 {
		m.step()
	}
	if n := m.server.Timeline().Next() - before; n < 75 {
		t.Errorf("the world made %d ticks of 100 while one client was silent", n)
	}
	silent.up.dead = false
	for range 100 {
		m.step()
	}
	if silent.Stats().Overruled == 0 {
		t.Error("the silent client was not told what its inputs have become")
	}
	filled := m.server.Stats().Filled
	before = m.server.Timeline().Next()
	for range 100 {
		m.step()
	}
	equal(t, "filled since it is back", m.server.Stats().Filled-filled, 0)
	if n := m.server.Timeline().Next() - before; n < 98 {
		t.Errorf("the world made %d ticks of 100", n)
	}
	equal(t, "simulated again", silent.Timeline().Stats().Resimulated, 0)
}
