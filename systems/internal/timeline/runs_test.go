package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func TestRuns(t *testing.T) {
	east, north := testgame.Words(steer{DX: 1}), testgame.Words(steer{DY: 1})
	l := playing(t, timeline.Config{Window: 20, Fills: 5})
	for tick, in := range map[uint32][]int32{0: east, 1: east, 2: east, 3: north, 6: north, 7: north, 9: east} {
		l.Put(1, tick, in)
	}
	steps(t, l, 5)
	check := func(from uint32, want string) {
		t.Helper()
		var got strings.Builder
		for _, r := range l.AppendRuns(nil, 1, from) {
			fmt.Fprintf(&got, "%d×%d%v ", r.Tick, r.Count, r.Words)
		}
		testgame.Equal(t, fmt.Sprintf("runs from tick %d", from), got.String(), want)
	}
	check(0, fmt.Sprintf("0×3%v 3×1%v 6×2%v 9×1%v ", east, north, north, east))
	check(2, fmt.Sprintf("2×1%v 3×1%v 6×2%v 9×1%v ", east, north, north, east))
	check(9, fmt.Sprintf("9×1%v ", east))
	check(10, "")
	steps(t, l, 23) // 8 is the first that can change
	check(0, fmt.Sprintf("3×1%v 4×2[] 6×2%v 9×1%v ", north, north, east))
	if n := len(l.AppendRuns(nil, 2, 0)); n != 0 {
		t.Errorf("%d runs of nobody", n)
	}
	w, at, ok := l.Held(1, 10)
	testgame.Equal(t, "held", fmt.Sprint(w, at, ok), fmt.Sprint(east, 9, true))
	if _, _, ok = l.Held(1, 16); ok {
		t.Error("held for longer than it is repeated")
	}
}

// A follower that receives only runs, including those of players whose input was lost or refused, has the same final worlds.
func TestRunsMakeTheSameWorld(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		server := playing(t, timeline.Config{Window: 12})
		follower := playing(t, timeline.Config{Window: 40, Follower: true})
		told := uint32(0) // the server's inputs before are known
		for range 200 {
			now := server.Next()
			in := testgame.Words(steering(r))
			follower.Put(1, now, in) // its own
			if late := uint32(r.IntN(24)); late <= now {
				server.Put(1, now-late, in) // whatever arrives
			}
			steps(t, server, 1)
			if now%3 == 0 {
				for _, run := range server.AppendRuns(nil, 1, told) {
					for tick := run.Tick; tick < run.Tick+uint32(run.Count); tick++ {
						if v := follower.Overrule(1, tick, run.Words); v > timeline.Duplicate {
							t.Fatalf("tick %d at %d: %v", tick, now, v)
						}
					}
				}
				told = server.Horizon()
				follower.SetServerHorizon(told)
			}
			steps(t, follower, 1)
		}
		compared := 0
		for tick := range follower.Horizon() {
			a, known := server.Hash(tick)
			if b, ok := follower.Hash(tick); ok && known {
				testgame.Equal(t, fmt.Sprintf("seed %d: hash of tick %d", seed, tick), b, a)
				compared++
			}
		}
		if compared < 5 || server.Stats().Missing == 0 {
			t.Errorf("%d ticks compared, %d inputs missing", compared, server.Stats().Missing)
		}
	}
}
