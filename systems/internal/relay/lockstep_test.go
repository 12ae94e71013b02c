package relay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func lockstep() relay.Config { return relay.Config{Timeline: timeline.Config{Wait: true}} }

// Under lockstep the inputs of all players take effect after the longest round trip of all.
func TestNetcodeB7_LockstepHasOneDelayForAll(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, human)
	latencies := []int{2, 9, 5}
	for i, l := range latencies {
		m.join(uint32(i+1), l, 0, 0, 0)
	}
	m.until(1500)
	m.report()
	begun := m.server.Timeline().Next()
	for _, e := range m.ends {
		e.answered = e.answered[:0]
	}
	m.run(500)
	testgame.Equal(t, "ticks of the server in 500", int(m.server.Timeline().Next()-begun), 500)
	longest := 2 * latencies[1]
	for _, e := range m.ends {
		slices.Sort(e.answered)
		median := e.answered[len(e.answered)/2]
		testgame.Equal(t, "delay", e.Delay(), m.ends[0].Delay())
		if median < longest || median > longest+3 {
			t.Errorf("player %d: its input shows after %d ticks, the longest round trip is %d", e.player, median, longest)
		}
		testgame.Equal(t, "simulated again", e.Timeline().Stats().Resimulated, 0)
	}
	testgame.Equal(t, "simulated again by the server", m.server.Timeline().Stats().Resimulated, 0)
	testgame.Equal(t, "given up", m.server.Stats().Filled, 0)

	// Without the one whose trip is the longest the others' needs are enough.
	m.leave(2)
	begun = m.server.Timeline().Next()
	m.run(300)
	testgame.Equal(t, "ticks of the server in 300", int(m.server.Timeline().Next()-begun), 300)
	if n := m.ends[0].Delay(); n < 10 || n > 13 {
		t.Errorf("a delay of %d ticks, where the longest round trip takes 10", n)
	}
}

func TestLockstepGoesOnWithoutWhoIsSilent(t *testing.T) {
	c := lockstep()
	c.Stall = 20
	m := newMatch(t, c, relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	silent := m.join(2, 3, 0, 0, 0)
	m.until(300)
	silent.up.dead = true
	before := m.server.Timeline().Next()
	m.run(100)
	if n := m.server.Timeline().Next() - before; n < 75 {
		t.Errorf("the world made %d ticks of 100 while one client was silent", n)
	}
	silent.up.dead = false
	m.run(100)
	if silent.Stats().Overruled == 0 {
		t.Error("the silent client was not told what its inputs have become")
	}
	filled := m.server.Stats().Filled
	before = m.server.Timeline().Next()
	m.run(100)
	testgame.Equal(t, "filled since it is back", m.server.Stats().Filled-filled, 0)
	if n := m.server.Timeline().Next() - before; n < 98 {
		t.Errorf("the world made %d ticks of 100", n)
	}
	testgame.Equal(t, "simulated again", silent.Timeline().Stats().Resimulated, 0)
}

// walked returns the distance that a player has walked in the server's world.
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

// forwards returns the inputs of a player who holds a key all the time.
func forwards(uint32, int) steer { return steer{DX: 1} }

// If a path gets slower, the lockstep delay grows. The additional ticks between two inputs repeat the held input, so nobody
// who walks stops. When the path is fast again, the delay shrinks by one tick at a time.
func TestDelayFollowsTheWay(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, forwards)
	e := m.join(1, 2, 0, 0, 0)
	m.until(200)
	before, begun, walked := e.Delay(), m.server.Timeline().Next(), m.walked(1)
	e.up.latency, e.down.latency = 9, 9
	m.run(100)
	longer := e.Delay()
	if before > 7 || longer < 18 {
		t.Errorf("a delay of %d ticks for a round trip of 4, %d for 18", before, longer)
	}
	testgame.Equal(t, "ticks that the player has walked", m.walked(1)-walked, int32(m.server.Timeline().Next()-begun))
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
	testgame.Equal(t, "ticks that the player has walked", m.walked(1)-walked, int32(m.server.Timeline().Next()-begun))
}

// A lockstep client can simulate as many ticks as Ahead returns.
func TestClientStepsAsFarAsItIsAhead(t *testing.T) {
	m := newMatch(t, lockstep(), relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	e := m.join(2, 4, 0, 0, 0)
	m.until(200)
	m.frame(e)
	testgame.Equal(t, "ahead, when all is simulated", e.Ahead(), 0)
	for range 10 { // it hears, and does not step
		m.now++
		m.server.Step()
		e.down.send(m.now, m.server.Append(nil, 2, e.down.seq, m.limit))
		e.down.arrived(m.now, func(p packet) { testgame.Must(t, e.Receive(p.seq, p.data)) })
	}
	ahead, steps := e.Ahead(), 0
	for e.Step(testgame.Words(steer{})) {
		steps++
	}
	if ahead < 2 || ahead != steps {
		t.Errorf("%d ticks ahead, and it stepped %d times", ahead, steps)
	}
	testgame.Equal(t, "ahead then", e.Ahead(), 0)
}

// A client whose first state took long simulates all ticks that it has received since in few frames: a frame makes more extra ticks
// than later on.
func TestClientCatchesUpWithItsState(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	m.until(100)
	e := m.join(2, 4, 0, 0, 0)
	e.frozen = true
	for range 60 { // it hears, and does not step
		m.step()
		e.down.delivered(m.now, func(b []byte) { testgame.Must(t, e.Deliver(b)) })
		e.down.arrived(m.now, func(p packet) { testgame.Must(t, e.Receive(p.seq, p.data)) })
		e.up.send(m.now, e.Append(nil, m.limit))
	}
	if n := e.Ahead(); n < 20 {
		t.Fatalf("%d ticks are known, want 20 at least", n)
	}
	const extra = 20
	more := func() bool { return e.More(time.Unix(0, 0), 0, extra) }
	for e.Ahead() > 0 {
		if !e.Step(testgame.Words(steer{})) {
			t.Fatal("no tick was simulated")
		}
		testgame.Equal(t, "more, while there are ticks", more(), e.Ahead() > 0)
	}
	testgame.Equal(t, "more, afterwards", more(), false)
}
