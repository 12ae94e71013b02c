package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/timeline"
)

func TestLockstepWaitsForEverybody(t *testing.T) {
	l := playing(t, timeline.Config{Wait: true})
	must(t, l.Join(2, 0, 0))
	must(t, l.Join(9, 0, 0))
	for tick := range uint32(3) {
		put(t, l, 2, tick, steer{DX: 1}, timeline.InTime)
		for _, late := range []uint32{9, 1} {
			if l.Step() {
				t.Fatalf("tick %d does not wait for player %d", tick, late)
			}
			if got := l.AppendMissing(nil); !slices.Contains(got, late) || slices.Contains(got, 2) || !slices.IsSorted(got) {
				t.Errorf("missing: %v", got)
			}
			equal(t, "next tick", l.Next(), tick)
			put(t, l, late, tick, steer{DY: 1}, timeline.InTime)
		}
		steps(t, l, 1)
		equal(t, "horizon", l.Horizon(), tick+1)
	}
	equal(t, "place", at(t, l, 2), place{13, 0})
	must(t, l.Leave(9, 3))
	put(t, l, 1, 3, steer{}, timeline.InTime)
	put(t, l, 2, 3, steer{}, timeline.InTime)
	steps(t, l, 1)
	s := l.Stats()
	equal(t, "ticks simulated again", s.Resimulated, 0)
	equal(t, "waits", s.Waits, 6)
	equal(t, "missing inputs", s.Missing, 0)
}

// Under lockstep what a player does now is seen a round trip later, by all in the
// same tick, and nothing is ever corrected.
func TestLockstepOverAStar(t *testing.T) {
	const delay = 2 * 9 // the longest way from player to player
	s := newStar(timeline.Config{Wait: true}, nil, 3, 4, 9)
	for i, l := range s.peers {
		for p := uint32(1); p <= 3; p++ {
			for tick := range uint32(delay) {
				if v := l.Put(p, tick, words(steer{})); v != timeline.InTime {
					t.Fatalf("peer %d: %v", i, v)
				}
			}
		}
	}
	waits := 0
	for s.tick < 100 {
		var relay []letter
		for i, l := range s.peers {
			s.mail[i] = slices.DeleteFunc(s.mail[i], func(m letter) bool {
				if m.due == s.tick {
					l.Put(m.player, m.tick, m.words)
					if i == 0 {
						relay = append(relay, m)
					}
				}
				return m.due == s.tick
			})
			if i > 0 {
				in := words(always(0, s.tick))
				l.Put(uint32(i), s.tick+delay, in)
				s.mail[0] = append(s.mail[0], letter{s.tick + s.latency[i], uint32(i), s.tick + delay, in})
			}
			if !l.Step() {
				waits++
			}
		}
		for _, m := range relay {
			for i := 1; i < len(s.peers); i++ {
				s.mail[i] = append(s.mail[i], letter{s.tick + s.latency[i], m.player, m.tick, m.words})
			}
		}
		s.tick++
	}
	equal(t, "waits", waits, 0)
	for i, n := range s.resimulated(t) {
		equal(t, fmt.Sprintf("ticks that peer %d simulates again", i), n, 0)
		a, known := s.peers[0].Hash(60)
		s.peers[i].Told(61)
		b, ok := s.peers[i].Hash(60)
		if i == 0 && !known || ok && a != b {
			t.Errorf("peer %d is in another world", i)
		}
		equal(t, "world", s.peers[i].World().Hash(), s.peers[0].World().Hash())
	}
}
