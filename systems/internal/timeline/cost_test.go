package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The proof of cost, measured: worlds on a star of one-way latencies, counted by
// runs of Simulate for ticks that they had completed.

const changesAt = 100

// once returns inputs that change in one tick only, for each player.
func once(player, tick uint32) steer {
	if tick < changesAt {
		return steer{DX: 1}
	}
	return steer{DY: 1}
}

// always returns inputs that change in every tick.
func always(_, tick uint32) steer { return steer{DX: int8(tick%3) - 1} }

// since returns the number of ticks that each peer simulates again in a number of ticks after changesAt.
func since(t *testing.T, s *star, ticks int) []int {
	t.Helper()
	for s.tick < changesAt {
		s.step(t)
	}
	n := s.resimulated(t)
	for range ticks {
		s.step(t)
	}
	for i, now := range s.resimulated(t) {
		n[i] = now - n[i]
	}
	return n
}

var stars = []struct {
	latency          []uint32
	isolated, steady []int // the server, then the players
	unmerged         []int // steady, a pass for each input
}{
	{[]uint32{2, 5, 10}, []int{17, 19, 22, 27}, []int{10, 12, 15, 15}, []int{17, 19, 22, 27}},
	{[]uint32{3, 4, 9}, []int{16, 19, 20, 25}, []int{9, 12, 13, 13}, []int{16, 19, 20, 25}},
}

func TestNetcodeACost_RollbackOfOneChange(t *testing.T) {
	for _, s := range stars {
		t.Run(fmt.Sprint(s.latency), func(t *testing.T) {
			if got := since(t, newStar(timeline.Config{}, once, 0, s.latency...), 60); !slices.Equal(got, s.isolated) {
				t.Errorf("the server and the players simulate %v ticks again, want %v", got, s.isolated)
			}
		})
	}
}

// steadily checks the number of ticks that each peer simulates again if all inputs change in every tick.
func steadily(t *testing.T, c timeline.Config, want func(i int) []int) {
	const ticks = 100
	for k, s := range stars {
		t.Run(fmt.Sprint(s.latency), func(t *testing.T) {
			world := newStar(c, always, 0, s.latency...)
			got := since(t, world, ticks)
			for i, want := range want(k) {
				if got[i] != want*ticks {
					t.Errorf("peer %d simulates %d ticks again in %d, want %d a tick", i, got[i], ticks, want)
				}
				stats := world.peers[i].Stats()
				testgame.Equal(t, "in the last step", stats.Last, want)
				if !c.Unmerged {
					testgame.Equal(t, "longest pass", stats.Longest, want)
				}
			}
			world.agree(t)
		})
	}
}

func TestNetcodeACost_RollbackMerged(t *testing.T) {
	steadily(t, timeline.Config{}, func(i int) []int { return stars[i].steady })
}

func TestCostOfAPassForEachInput(t *testing.T) {
	steadily(t, timeline.Config{Unmerged: true}, func(i int) []int { return stars[i].unmerged })
}

func TestCostGrowsWithPlayers(t *testing.T) {
	const ticks = 24
	merged, apart := map[int]int{}, map[int]int{}
	for _, n := range []int{2, 4, 8} {
		latency := slices.Repeat([]uint32{6}, n)
		for _, k := range since(t, newStar(timeline.Config{}, always, 0, latency...), ticks) {
			merged[n] += k
		}
		for _, k := range since(t, newStar(timeline.Config{Unmerged: true}, always, 0, latency...), ticks) {
			apart[n] += k
		}
		testgame.Equal(t, fmt.Sprintf("%d players, one pass", n), merged[n], (6+12*n)*ticks)
		testgame.Equal(t, fmt.Sprintf("%d players, a pass for each", n), apart[n], (6*n+12*n*(n-1))*ticks)
	}
}
