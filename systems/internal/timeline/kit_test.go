package timeline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The tests use the game of the soldiers.
type (
	place  = testgame.Spot
	health = testgame.Health
	steer  = testgame.Keys
)

// newTimeline returns a timeline with a new world of the game.
func newTimeline(c timeline.Config, listeners ...timeline.Listener) *timeline.Timeline {
	return timeline.New(testgame.Barracks(), c, listeners...)
}

// runs returns how often Simulate has run in the timeline's world.
func runs(t *timeline.Timeline) int { return testgame.Runs(t.World()) }

// put passes an input to a timeline and checks the verdict.
func put(t *testing.T, l *timeline.Timeline, player, tick uint32, in steer, want timeline.Verdict) {
	t.Helper()
	if v := l.Put(player, tick, testgame.Words(in)); v != want {
		t.Errorf("input of player %d for tick %d, next is %d: %v, want %v", player, tick, l.Next(), v, want)
	}
}

func steps(t *testing.T, l *timeline.Timeline, n int) {
	t.Helper()
	for range n {
		if !l.Step() {
			t.Fatalf("tick %d waits for %v", l.Next(), l.AppendMissing(nil))
		}
	}
}

// steering returns a random input.
func steering(r *rand.Rand) steer {
	return steer{DX: int8(r.IntN(3) - 1), DY: int8(r.IntN(3) - 1), Fire: r.IntN(4) == 0}
}

// at returns the position of a player's soldier.
func at(t *testing.T, l *timeline.Timeline, player uint32) place {
	t.Helper()
	type row struct {
		Place  place
		Owner  components.Owner
		Health health
	}
	for _, r := range ecs.All[row](l.World()) {
		if r.Owner.Client == player {
			return r.Place
		}
	}
	t.Errorf("player %d has no soldier", player)
	return place{}
}

// letter is an input in flight or, from player 0, the server's horizon.
type letter struct {
	due    uint32 // tick in whose Receive it is seen
	player uint32
	tick   uint32
	words  []int32
}

// star is a server and its players, each with its own world, all at the same tick. The server receives what a client sends
// after tick t before tick t + latency, and relays it to the others after that tick.
type star struct {
	latency []uint32
	delay   uint32               // from gathering an input to the tick that it is for
	peers   []*timeline.Timeline // 0: the server
	mail    [][]letter           // to each
	play    func(player, tick uint32) steer
	tick    uint32
}

func newStar(c timeline.Config, play func(player, tick uint32) steer, delay uint32, latency ...uint32) *star {
	s := &star{latency: append([]uint32{0}, latency...), delay: delay, play: play, tick: c.First}
	for i := range s.latency {
		own := c
		own.Follower = i > 0
		l := newTimeline(own)
		for k := range latency {
			if err := l.Join(uint32(k+1), c.First, c.First+delay, ""); err != nil {
				panic(err)
			}
		}
		s.peers = append(s.peers, l)
	}
	s.mail = make([][]letter, len(s.peers))
	return s
}

// step runs one tick of all peers.
func (s *star) step(t *testing.T) {
	t.Helper()
	var relay []letter
	for i, l := range s.peers {
		s.mail[i] = slices.DeleteFunc(s.mail[i], func(m letter) bool {
			switch {
			case m.due != s.tick:
				return false
			case m.player == 0:
				l.SetServerHorizon(m.tick)
			default:
				l.Put(m.player, m.tick, m.words)
			}
			if i == 0 {
				relay = append(relay, m)
			}
			return true
		})
		if i > 0 {
			in := testgame.Words(s.play(uint32(i), s.tick))
			l.Put(uint32(i), s.tick+s.delay, in)
			s.mail[0] = append(s.mail[0], letter{s.tick + s.latency[i], uint32(i), s.tick + s.delay, in})
		}
		steps(t, l, 1)
	}
	relay = append(relay, letter{tick: s.peers[0].Horizon()})
	for _, m := range relay {
		for i := 1; i < len(s.peers); i++ {
			if uint32(i) != m.player {
				m.due = s.tick + s.latency[i]
				s.mail[i] = append(s.mail[i], m)
			}
		}
	}
	s.tick++
}

// resimulated returns the number of ticks that each peer has simulated again, according to its timeline. It checks this number
// against the count of the world.
func (s *star) resimulated(t *testing.T) []int {
	t.Helper()
	var n []int
	for _, l := range s.peers {
		again := l.Stats().Resimulated
		testgame.Equal(t, "ticks that the world says it simulated again", l.World().Resimulated(), again)
		testgame.Equal(t, "runs of Simulate", runs(l), int(l.Stats().Ticks+again))
		n = append(n, int(again))
	}
	return n
}

// agree checks that the final ticks of all peers are equal, over most of the window.
func (s *star) agree(t *testing.T) {
	t.Helper()
	for i, l := range s.peers[1:] {
		compared := 0
		for tick := range s.tick {
			want, known := s.peers[0].Hash(tick)
			got, ok := l.Hash(tick)
			if !ok || !known {
				continue
			}
			if compared++; got != want {
				t.Errorf("player %d has another world after tick %d than the server", i+1, tick)
			}
		}
		if compared < 20 {
			t.Errorf("only %d final ticks of player %d can be compared", compared, i+1)
		}
	}
}
