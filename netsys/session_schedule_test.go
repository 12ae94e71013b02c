package netsys

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// After any additions, removals and wake-ups, the schedule visits the due sessions in order, and no others.
func TestSessionScheduleAgainstList(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var r sessionSchedule
		var list []*session
		due := map[*session]time.Duration{}
		for step := range 500 {
			at := time.Duration(step)
			switch n := rng.IntN(4); {
			case n == 0 || len(list) == 0:
				s := newSession(&carrier{})
				r.add(s)
				list = append(list, s)
			case n == 1 && rng.IntN(2) == 0:
				i := rng.IntN(len(list))
				gone := list[i]
				r.remove(i)
				if list = slices.Delete(list, i, i+1); gone.place != -1 {
					t.Fatalf("seed %d: a removed session is at %d", seed, gone.place)
				}
				r.wake(gone)
			case n == 2:
				s := list[rng.IntN(len(list))]
				r.wake(s)
				due[s] = 0
			}
			var want, got []*session
			for i, s := range list {
				if s.place != int32(i) {
					t.Fatalf("seed %d: the session at %d says %d", seed, i, s.place)
				}
				if at >= due[s] {
					want = append(want, s)
				}
			}
			r.run(at, func(s *session) time.Duration {
				got = append(got, s)
				if rng.IntN(3) == 0 {
					return -1
				}
				due[s] = at + time.Duration(rng.IntN(20))
				return due[s]
			})
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: visited %d sessions, want %d", seed, step, len(got), len(want))
			}
		}
	}
}
