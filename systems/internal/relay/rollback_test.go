package relay_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

const changesAt = 100

// once changes each player's input at one tick only.
func once(_ uint32, frame int) steer {
	if frame < changesAt {
		return steer{DX: 1}
	}
	return steer{DY: 1}
}

// steady changes it every tick.
func steady(_ uint32, frame int) steer { return steer{DX: int8(frame%3) - 1} }

// since is what each peer simulates again in a number of ticks, from changesAt on.
func since(t *testing.T, play func(uint32, int) steer, ticks int, latency ...int) []int {
	t.Helper()
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, play)
	for i, l := range latency {
		m.join(uint32(i+1), l, 0, 0, 0)
	}
	count := func() []int {
		n := []int{runs(m.server.Timeline()) - int(m.server.Timeline().Stats().Ticks)}
		testgame.Equal(t, "ticks that the server's timeline simulated again", int(m.server.Timeline().Stats().Resimulated), n[0])
		for _, e := range m.ends {
			testgame.Equal(t, "ticks that a timeline simulated again", int(e.Timeline().Stats().Resimulated), runs(e.Timeline())-int(e.Timeline().Stats().Ticks))
			n = append(n, int(e.Timeline().Stats().Resimulated))
		}
		return n
	}
	m.until(changesAt - 1)
	before := count()
	m.run(ticks)
	after := count()
	for i := range after {
		after[i] -= before[i]
	}
	return after
}

func TestNetcodeACost_RollbackThroughTheRelay(t *testing.T) {
	const ticks = 100
	for _, s := range []struct {
		latency          []int
		isolated, steady []int // the server, then the players
	}{
		{[]int{2, 5, 10}, []int{17, 19, 22, 27}, []int{10, 12, 15, 15}},
		{[]int{3, 4, 9}, []int{16, 19, 20, 25}, []int{9, 12, 13, 13}},
	} {
		t.Run(fmt.Sprint(s.latency), func(t *testing.T) {
			if got := since(t, once, 60, s.latency...); !slices.Equal(got, s.isolated) {
				t.Errorf("one change each: %v ticks again, want %v", got, s.isolated)
			}
			got := since(t, steady, ticks, s.latency...)
			for i, want := range s.steady {
				if got[i] != want*ticks {
					t.Errorf("peer %d simulates %d ticks again in %d, want %d a tick", i, got[i], ticks, want)
				}
			}
		})
	}
}

// report logs what the match cost.
func (m *match) report() {
	m.t.Helper()
	server := m.server.Timeline().Stats()
	m.t.Logf("server: tick %d, again %d, longest %d; %+v", m.now, server.Resimulated, server.Longest, m.server.Stats())
	for _, e := range m.ends {
		s := e.Timeline().Stats()
		m.t.Logf("player %d: %.1f B up, %.1f B down a tick; again %d of %d, longest %d, %d behind; %+v", e.player,
			float64(e.up.bytes)/float64(e.frames), float64(e.down.bytes)/float64(e.frames), s.Resimulated, s.Ticks, s.Longest,
			int(m.server.Timeline().Next())-int(e.Timeline().Next()), e.Stats())
	}
}
