package relay_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Inputs are repeated according to the loss, not to the round trip: at half a second a client needs hardly more bytes than at
// a tenth.
func TestNetcodeC2_RelayedInputsAreRepeatedAsOftenAsTheyMayBeLost(t *testing.T) {
	for _, wait := range []bool{false, true} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{}, always)
			for p := range 8 {
				m.join(uint32(p+1), 13, 4, 0.05, 0)
			}
			m.until(200)
			const ticks = 160
			sent := m.ends[0].Stats().Sent
			m.costs(ticks, 45, 300)
			// In six messages, and all that is under way, some 34 of them, in each eighth.
			if n := float64(m.ends[0].Stats().Sent-sent) / ticks; n < 6 || n > 6+34./8+2 {
				t.Errorf("each input is sent %.1f times", n)
			}
		})
	}
}

// After a silence so long that the missed inputs of one player fill more than a message, the client has all inputs within two
// seconds, in consecutive parts, and needs no new state of the world.
func TestNetcodeC2_WhatFitsNoMessageComesInParts(t *testing.T) {
	for _, wait := range []bool{false, true} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{}, always)
			m.limit = 600
			for p := range 4 {
				m.join(uint32(p+1), 2, 0, 0, 0)
			}
			e := m.join(5, 5, 0, 0, 0)
			m.until(300)
			states := e.Stats().States
			e.down.dead = true
			m.run(400)
			e.down.dead = false
			told := m.server.Timeline().Horizon()
			m.run(120)
			h := e.Timeline().Horizon()
			if wait {
				h = e.Timeline().Next() + uint32(e.Ahead())
			}
			if h < told || e.Stats().States > states {
				t.Errorf("ticks up to %d are known to the client, up to %d were final on the server when messages came again: %+v", h, told, e.Stats())
			}
		})
	}
}

// Inputs that were lost for longer than they are repeated arrive within an eighth of a second after messages get through
// again, in both directions and at any distance.
func TestNetcodeC2_WhatARunOfLossesTookComesAgain(t *testing.T) {
	const trip, eighth = 15, 60 / 8
	for _, wait := range []bool{false, true} {
		for _, run := range []int{5, 9, 30} {
			t.Run(fmt.Sprint(wait, run), func(t *testing.T) {
				m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{}, always)
				m.join(1, 2, 0, 0, 0)
				e := m.join(2, trip, 0, 0, 0)
				m.until(300)
				states := e.Stats().States
				e.down.dead = true
				m.run(run)
				e.down.dead = false
				told := m.server.Timeline().Horizon()
				m.run(trip + eighth)
				h := e.Timeline().Horizon()
				if wait {
					h = e.Timeline().Next() + uint32(e.Ahead())
				}
				if h < told {
					t.Errorf("after %d messages were lost, ticks up to %d are final on the client, up to %d on the server when they came again", run, h, told)
				}
				m.run(60)
				e.up.dead = true
				m.run(run)
				e.up.dead = false
				missing := m.server.Inputs(2).Missing
				m.run(trip + eighth)
				newest := m.server.Inputs(2).Newest
				if lag := m.server.Timeline().Next() - newest; !wait && lag > trip+2 {
					t.Errorf("after %d messages were lost the server lacks inputs of %d ticks", run, lag)
				}
				testgame.Equal(t, "inputs given up", m.server.Inputs(2).Missing-missing, 0)
				testgame.Equal(t, "states", e.Stats().States, states)
			})
		}
	}
}

// A message that newer ones have overtaken fills the gaps that they left.
func TestNetcodeC2_OvertakenMessagesFillGaps(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, always)
	m.join(1, 1, 0, 0, 0)
	e := m.join(2, 15, 0, 0, 0)
	m.until(200)
	e.frozen = true
	e.down.arrived(m.now+20, func(p packet) { testgame.Must(t, e.Receive(p.seq, p.data)) })
	m.server.SetRepeats(2, 1)
	for range 50 {
		e.down.queue = nil
		m.step()
		m.step() // two are under way, and the newer one comes first
		for i := range e.down.queue {
			p := e.down.queue[len(e.down.queue)-1-i]
			testgame.Must(t, e.Receive(p.seq, p.data))
		}
		for range 2 {
			e.Step(testgame.Words(always(2, m.now)))
			e.up.send(m.now, e.Append(nil, m.limit))
		}
		if lag := int(m.server.Timeline().Horizon()) - int(e.Timeline().Horizon()); lag > 4 {
			t.Fatalf("tick %d: %d ticks that are final are not on the client", m.now, lag)
		}
	}
	if n := e.Stats().Gaps; n < 30 {
		t.Errorf("%d messages left gaps, of 50", n)
	}
}

// Until unacknowledged inputs are sent again, no input is in more messages than configured.
func TestInputsAreSentNoOftenerThanIsSaid(t *testing.T) {
	const delay = 40 // as many inputs go out at once, so that it takes some messages until they come again
	for _, repeats := range []int{1, 2, 4} {
		m := newMatch(t, relay.Config{}, relay.ClientConfig{Delay: delay}, always)
		e := m.join(1, 20, 0, 0, 0)
		e.SetRepeats(repeats)
		for !e.Playing() {
			m.step()
		}
		e.down.dead = true
		m.run(repeats + 1)
		inputs := int(e.Timeline().Next()) + delay - int(e.Timeline().AppendPresences(nil)[0].First)
		if n := int(e.Stats().Sent); inputs < delay/2 || n > repeats*inputs || n < repeats*(inputs-10) {
			t.Errorf("%d inputs were sent %d times, %d of a kind are enough", inputs, n, repeats)
		}
	}
}

// Repeated inputs need almost no bytes: a small message holds all unacknowledged ones.
func TestHeldInputsTakeNoRoom(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	e := m.join(1, 1, 0, 0, 0)
	m.until(100)
	const unheard = 100
	for range unheard {
		m.now++
		e.Step(testgame.Words(human(1, m.now)))
	}
	most := uint64(0)
	for range 16 { // all goes out again in one of these
		before := e.Stats().Sent
		if n := len(e.Append(nil, 128)); n > 128 {
			t.Errorf("%d bytes in 128", n)
		}
		most = max(most, e.Stats().Sent-before)
	}
	if most < unheard {
		t.Errorf("%d inputs in 128 bytes, of %d that change ten times", most, unheard)
	}
}

// The traffic of a client in bytes per tick, without session overhead: players turn three times per second, on links of 50 ms
// one way with some jitter and loss.
func TestBytesOfAClient(t *testing.T) {
	for _, c := range []struct {
		players  int
		wait     bool
		play     func(player uint32, frame int) steer
		up, down float64 // at most
	}{
		{2, false, human, 10.5, 14}, {8, false, human, 10.5, 38}, {8, true, human, 10.5, 38},
		{8, false, func(uint32, int) steer { return steer{} }, 8, 28}, {16, false, human, 10.5, 70},
	} {
		t.Run(fmt.Sprintf("%d_%v", c.players, c.wait), func(t *testing.T) {
			m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: c.wait}}, relay.ClientConfig{}, c.play)
			m.blind = true
			for p := range c.players {
				m.join(uint32(p+1), 3, 1, 0.02, 0)
			}
			m.until(150)
			m.costs(160, c.up, c.down)
		})
	}
}

// costs checks the average number of bytes per tick of a client's messages, over a number of ticks.
func (m *match) costs(ticks int, mostUp, mostDown float64) {
	m.t.Helper()
	for _, e := range m.ends {
		e.up.bytes, e.down.bytes = 0, 0
	}
	m.run(ticks)
	up, down, n := 0.0, 0.0, float64(ticks*len(m.ends))
	for _, e := range m.ends {
		up += float64(e.up.bytes) / n
		down += float64(e.down.bytes) / n
	}
	m.t.Logf("%.1f bytes up, %.1f down a tick", up, down)
	if up > mostUp || down > mostDown {
		m.t.Errorf("%.1f bytes up and %.1f down a tick, at most %v and %v are allowed", up, down, mostUp, mostDown)
	}
}
