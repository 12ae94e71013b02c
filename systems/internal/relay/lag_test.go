package relay_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// A player with a new session continues where it was.
func TestRenewedClientPlaysOn(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}, Stall: 10}, relay.ClientConfig{}, human)
		m.join(1, 2, 2, 0.1, 0)
		old := m.join(2, 3, 2, 0.1, 0)
		m.until(200)
		m.ends = m.ends[:1]
		m.run(30)
		testgame.Must(t, m.server.Resync(2))
		back := &end{Client: relay.NewClient(testgame.Barracks(), 2, m.client), player: 2, up: old.up, down: old.down, gathered: map[uint32]int{}}
		back.up.queue, back.down.queue, back.up.seq, back.down.seq = nil, nil, 0, 0
		m.ends = append(m.ends, back)
		m.run(150)
		testgame.Equal(t, "plays", back.Playing(), true)
		presences := m.server.Timeline().AppendPresences(nil)
		testgame.Equal(t, "stretches in which the two play", len(presences), 2)
		if n := m.checked[2]; n < 150 {
			t.Errorf("%d final ticks of the one who is back were compared", n)
		}
		testgame.Equal(t, "a stranger is renewed", m.server.Resync(5) != nil, true)
	}
}

// Under rollback, all clients learn of skipped ticks, under any loss and after a late join. Once they have, skipped ticks cost
// nothing.
func TestSkippedTicksAreTold(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.join(1, 3, 1, 0.4, 0)
	for n := range uint64(3) {
		m.run(150)
		before := m.ends[0].Waited()
		m.server.SkipTicks(70 * (n + 1))
		m.run(100)
		testgame.Equal(t, "ticks not made", m.ends[0].Waited()-before, 70)
		m.join(uint32(len(m.ends)+1), 2, 1, 0.4, 0)
	}
	m.run(100)
	for _, e := range m.ends {
		testgame.Equal(t, "ticks not made in all", uint16(e.Waited()), 3*70)
		b := m.server.Append(nil, e.player, e.down.seq, m.limit)
		e.down.seq++
		testgame.Equal(t, "tells of them again", b[3]&1, 0)
	}
}
