package timeline_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// arrival is an event that a timeline receives, and the tick in which it does.
type arrival struct {
	seen   uint32
	player uint32
	tick   uint32
	what   byte // 'i'nput, 'j'oin, 'l'eave, 'v'oid
	input  steer
}

// story draws the events of a number of ticks: joins, leaves and inputs, some of which are lost for good.
func story(r *rand.Rand, ticks uint32) (all []arrival) {
	for p := uint32(1); p <= 5; p++ {
		for from := uint32(r.IntN(10)); from+10 < ticks; {
			to := from + 10 + uint32(r.IntN(int(ticks)))
			all = append(all, arrival{from, p, from, 'j', steer{}})
			in := steer{}
			for tick := from; tick < min(to, ticks); tick++ {
				if r.IntN(3) == 0 {
					in = steering(r)
				}
				if burst := tick / 8 % 5; burst == p-1 && r.IntN(3) > 0 || r.IntN(20) == 0 {
					continue // lost
				}
				all = append(all, arrival{tick, p, tick, 'i', in})
			}
			if to >= ticks {
				break
			}
			all = append(all, arrival{to, p, to, 'l', steer{}})
			from = to + uint32(r.IntN(20))
		}
	}
	return all
}

// disorder delays events by up to late ticks, duplicates some and sends some early. It delays joins and leaves only if comings
// is true.
func disorder(r *rand.Rand, all []arrival, late int, comings bool) (heard []arrival) {
	joined := map[uint32]uint32{} // when the last join or leave of a player is heard
	for _, a := range all {
		switch {
		case a.what != 'i': // in order
			if comings {
				a.seen = max(a.tick+uint32(r.IntN(late/2)), joined[a.player])
			}
			joined[a.player] = a.seen
			heard = append(heard, a)
			continue
		case r.IntN(4) == 0:
			a.seen = a.tick - min(a.tick, uint32(r.IntN(5)))
		default:
			a.seen = a.tick + uint32(r.IntN(late+1))
		}
		a.seen = max(a.seen, joined[a.player]) // within late, because the join is
		for heard = append(heard, a); r.IntN(4) == 0; heard = append(heard, a) {
			a.seen += 1 + uint32(r.IntN(2*late))
			a.input = steering(r) // a cheat: the first one counts
		}
	}
	return heard
}

// tell runs a timeline with events. Within a tick, joins and leaves come first, and inputs follow in random order.
func tell(t *testing.T, r *rand.Rand, l *timeline.Timeline, heard []arrival, ticks uint32) (sums map[uint32]uint64) {
	t.Helper()
	by := make([][]arrival, 4*ticks)
	for _, a := range heard {
		if a.seen < uint32(len(by)) {
			by[a.seen] = append(by[a.seen], a)
		}
	}
	sums = map[uint32]uint64{}
	for l.Next() < ticks {
		now := by[l.Next()]
		for _, a := range now {
			switch a.what {
			case 'j':
				testgame.Must(t, l.Join(a.player, a.tick, a.tick, ""))
			case 'l':
				testgame.Must(t, l.Leave(a.player, a.tick))
			}
		}
		for _, i := range r.Perm(len(now)) {
			if a := now[i]; a.what == 'i' {
				if v := l.Put(a.player, a.tick, testgame.Words(a.input)); v == timeline.OverCap || v == timeline.TooEarly {
					t.Fatalf("tick %d: input of player %d for tick %d: %v", l.Next(), a.player, a.tick, v)
				}
			}
		}
		l.SetServerHorizon(max(l.Next(), 20) - 20) // by then all comings and goings are heard
		steps(t, l, 1)
		for tick := l.Horizon() - 1; int32(tick) >= 0; tick-- {
			sum, ok := l.Hash(tick)
			if was, known := sums[tick]; !ok || known && was == sum {
				break
			} else if known {
				t.Fatalf("the hash of final tick %d changes", tick)
			}
			sums[tick] = sum
		}
	}
	return sums
}

// Any order, repetition and delay within the window of the same inputs, joins and leaves leads to the same world in each tick
// as on a peer that got everything in time.
func TestAnyOrderCampaign(t *testing.T) {
	const ticks, window = 240, 40
	testgame.Seeds(t, 12, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := story(r, ticks)
		config := timeline.Config{Window: window, Refill: window}
		inTime := newTimeline(config)
		want := tell(t, r, inTime, all, ticks+window)
		testgame.Equal(t, "passes of a timeline that got all in time", inTime.Stats().Passes, 0)
		config.Unmerged, config.Follower = seed%4 == 3, seed%2 == 0
		l := newTimeline(config)
		got := tell(t, r, l, disorder(r, all, window, config.Follower), ticks+window)
		if l.Stats().Resimulated == 0 {
			t.Error("nothing was simulated again")
		}
		compared := 0
		for tick := range uint32(ticks) {
			a, ok := want[tick]
			b, also := got[tick]
			if !ok || !also {
				t.Fatalf("tick %d is never final", tick)
			}
			if compared++; a != b {
				t.Fatalf("tick %d is another than in the world that got all in time", tick)
			}
		}
		if d, differs := ecs.Differs(inTime.World(), l.World()); differs {
			t.Errorf("%v", d)
		}
		testgame.Equal(t, "hash", l.World().Hash(), inTime.World().Hash())
		testgame.Equal(t, "missing inputs", l.Stats().Missing, inTime.Stats().Missing)
	})
}
