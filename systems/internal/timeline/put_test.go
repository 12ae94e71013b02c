package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// playing returns a timeline with one player from tick 0 on.
func playing(t *testing.T, c timeline.Config, listeners ...timeline.Listener) *timeline.Timeline {
	t.Helper()
	l := newTimeline(c, listeners...)
	testgame.Must(t, l.Join(1, c.First, c.First, ""))
	return l
}

func TestNetcodeB4_FirstInputWinsOldOnesAreCounted(t *testing.T) {
	east, north := steer{DX: 1}, steer{DY: 1}
	l := playing(t, timeline.Config{Window: 20, Early: 10})
	put(t, l, 2, 0, east, timeline.Absent)
	put(t, l, 1, 11, east, timeline.TooEarly)
	put(t, l, 1, 10, east, timeline.InTime)
	put(t, l, 1, 0, east, timeline.InTime)
	put(t, l, 1, 0, north, timeline.Duplicate)
	steps(t, l, 8)
	put(t, l, 1, 3, east, timeline.Agreed)
	testgame.Equal(t, "steps again for what was assumed", l.Stats().Resimulated, 0)
	put(t, l, 1, 5, north, timeline.Rewrote)
	put(t, l, 1, 5, east, timeline.Duplicate)
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 3)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 5 + 5, Y: 4})
	steps(t, l, 20)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 0)
	put(t, l, 1, 8, north, timeline.TooOld)
	put(t, l, 1, 5, north, timeline.Duplicate)
	want := timeline.Counts{timeline.InTime: 2, timeline.Rewrote: 1, timeline.Agreed: 1, timeline.Duplicate: 3, timeline.TooOld: 1, timeline.TooEarly: 1}
	testgame.Equal(t, "counts of the player", l.Inputs(1), want)
	want[timeline.Absent] = 1
	testgame.Equal(t, "counts of all", l.Stats().Inputs, want)
	testgame.Equal(t, "counts of nobody", l.Inputs(2), timeline.Counts{})
}

func TestNetcodeB3_OnePassFromTheOldestChange(t *testing.T) {
	l := playing(t, timeline.Config{})
	for p := uint32(2); p <= 8; p++ {
		testgame.Must(t, l.Join(p, 0, 0, ""))
	}
	steps(t, l, 30)
	for p := uint32(1); p <= 8; p++ {
		for tick := uint32(29); tick > 20+p; tick-- {
			put(t, l, p, tick, steer{DX: 1}, timeline.Rewrote)
			put(t, l, p, tick, steer{DX: -1}, timeline.Duplicate)
		}
		put(t, l, p, 20+p, steer{}, timeline.Agreed)
	}
	steps(t, l, 1)
	s := l.Stats()
	testgame.Equal(t, "passes", s.Passes, 1)
	testgame.Equal(t, "ticks simulated again", s.Last, 8) // from 22, where the first player changed
	for p := uint32(1); p <= 8; p++ {
		put(t, l, p, 30, steer{DX: 1}, timeline.Agreed)
	}
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again for what was assumed", l.Stats().Last, 0)
}

func TestTheWindowHasExactlyItsTicks(t *testing.T) {
	l := playing(t, timeline.Config{Window: 10})
	steps(t, l, 30)
	put(t, l, 1, 19, steer{DX: 1}, timeline.TooOld)
	put(t, l, 1, 20, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 10)
}

func TestNetcodeC4_TimelineRepeatsWhatIsHeld(t *testing.T) {
	l := playing(t, timeline.Config{})
	put(t, l, 1, 0, steer{DX: 1, Fire: true}, timeline.InTime)
	steps(t, l, 40)
	testgame.Equal(t, "place after one input and fifteen repeats", at(t, l, 1), place{X: 5 + 16, Y: 0})
	put(t, l, 1, 20, steer{DY: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "place after a late one, too", at(t, l, 1), place{X: 5 + 16, Y: 16})
	fired := 0
	type flying struct{ Speed testgame.Speed }
	l = playing(t, timeline.Config{})
	put(t, l, 1, 0, steer{Fire: true}, timeline.InTime)
	steps(t, l, 2)
	for range ecs.All[flying](l.World()) {
		fired++
	}
	testgame.Equal(t, "shots of a press that was repeated", fired, 1)
}

func TestALateInputIsRepeatedAfterItsTick(t *testing.T) {
	l := playing(t, timeline.Config{Fills: 4})
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	steps(t, l, 12) // repeated in 1 to 4, neutral from 5 on
	testgame.Equal(t, "place", at(t, l, 1), place{X: 5 + 5, Y: 0})
	put(t, l, 1, 4, steer{DX: 1}, timeline.Rewrote) // what was assumed, but now 5 to 8 repeat it
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 7)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 5 + 9, Y: 0})
	put(t, l, 1, 6, steer{DX: 1}, timeline.Rewrote)
	put(t, l, 1, 5, steer{DX: 1}, timeline.Agreed)
	steps(t, l, 1)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 5 + 11, Y: 0})
}

func TestWordsFromAnywhereAreClamped(t *testing.T) {
	l := playing(t, timeline.Config{})
	far := testgame.Words(steer{DX: 1})
	for i := range far {
		far[i] = 1 << 30
	}
	testgame.Equal(t, "verdict", l.Put(1, 0, far), timeline.InTime)
	steps(t, l, 1)
	testgame.Equal(t, "place", at(t, l, 1), place{X: 6, Y: 1})
	testgame.Equal(t, "the same input, clamped", l.Put(1, 1, testgame.Words(steer{DX: 1, DY: 1})), timeline.InTime)
	defer func() {
		if recover() == nil {
			t.Error("an input of another length is taken")
		}
	}()
	l.Put(1, 2, make([]int32, 99))
}

func TestNetcodeB4_LateInputsNeedTokens(t *testing.T) {
	l := playing(t, timeline.Config{Window: 20, Refill: 2, Burst: 25})
	testgame.Must(t, l.Join(2, 0, 0, ""))
	steps(t, l, 30)
	put(t, l, 1, 15, steer{DX: 1}, timeline.Rewrote) // 15 of 25
	put(t, l, 1, 20, steer{DX: -1}, timeline.Rewrote)
	put(t, l, 1, 10, steer{DX: -1}, timeline.Rewrote) // 5 more
	put(t, l, 2, 10, steer{DX: 1}, timeline.Rewrote)  // has its own
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again, for both players at once", l.Stats().Last, 20)
	put(t, l, 1, 23, steer{DX: 1}, timeline.OverCap) // 8 of 5 and 2
	put(t, l, 1, 24, steer{DY: 1}, timeline.Rewrote)
	steps(t, l, 1)
	put(t, l, 1, 23, steer{DX: 1}, timeline.OverCap)
	steps(t, l, 4)
	put(t, l, 1, 23, steer{DX: 1}, timeline.OverCap) // 13
	for range 3 {
		steps(t, l, 1)
	}
	put(t, l, 1, 23, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "ticks simulated again", l.Stats().Last, 16)
}

// A player with the worst possible inputs costs at most its refill per tick on average, and no Step more than the window.
func TestFloodIsBounded(t *testing.T) {
	const window, refill, ticks = 20, 5, 2000
	l := playing(t, timeline.Config{Window: window, Refill: refill})
	steps(t, l, window)
	for i := range ticks {
		for tick := range l.Next() + 30 { // the oldest first, each another than was assumed
			if tick+window >= l.Next() {
				l.Put(1, tick, testgame.Words(steer{DX: int8((i+int(tick))%3) - 1}))
			}
		}
		steps(t, l, 1)
	}
	s := l.Stats()
	if s.Longest > window || s.Resimulated > refill*ticks+2*window {
		t.Errorf("%d ticks simulated again in %d, %d in one pass", s.Resimulated, ticks, s.Longest)
	}
	l = playing(t, timeline.Config{Window: window, Refill: refill})
	steps(t, l, window)
	for i := range ticks { // one input a tick, as late as can be
		l.Put(1, l.Next()-window, testgame.Words(steer{DX: int8(i%3) - 1}))
		steps(t, l, 1)
	}
	s = l.Stats()
	if s.Longest > window || s.Resimulated > refill*ticks+2*window || s.Inputs[timeline.OverCap] < ticks/2 {
		t.Errorf("%d ticks simulated again in %d, %d in one pass, %v", s.Resimulated, ticks, s.Longest, s.Inputs)
	}
}

// The input of tick 0 is the newest until another one arrives.
func TestNewestInputOfTheFirstTick(t *testing.T) {
	l := playing(t, timeline.Config{})
	if tick, ok := l.Newest(1); ok {
		t.Errorf("before any input the newest is of tick %d", tick)
	}
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	if tick, ok := l.Newest(1); !ok || tick != 0 {
		t.Errorf("the newest is of tick %d, %v; want 0", tick, ok)
	}
	put(t, l, 1, 2, steer{DX: 1}, timeline.InTime)
	if tick, ok := l.Newest(1); !ok || tick != 2 {
		t.Errorf("the newest is of tick %d, %v; want 2", tick, ok)
	}
}

func TestWhatIsDecidedOfAPlayer(t *testing.T) {
	l := playing(t, timeline.Config{Window: 10})
	decided := func(what string, want uint32, is bool) {
		t.Helper()
		got, ok := l.Decided(1)
		testgame.Equal(t, what+": something is decided", ok, is)
		testgame.Equal(t, what, got, want)
	}
	decided("before anything", 0, false)
	for tick := range uint32(5) {
		put(t, l, 1, tick, steer{DX: 1}, timeline.InTime)
	}
	steps(t, l, 1)
	decided("sent ahead", 4, true)
	put(t, l, 1, 6, steer{DX: 1}, timeline.InTime)
	steps(t, l, 8)
	decided("up to a gap", 4, true)
	l.Overrule(1, 5, nil)
	steps(t, l, 1)
	decided("when the gap is closed", 6, true)
	steps(t, l, 20)
	decided("when the window has passed", l.Next()-10-1, true)
	testgame.Equal(t, "missing", l.Missing(1), uint64(l.Next()-10-7))
	_, ok := l.Decided(99)
	testgame.Equal(t, "of a stranger", ok, false)
	testgame.Equal(t, "missing of a stranger", l.Missing(99), 0)
}

func TestNothingIsRepeated(t *testing.T) {
	l := playing(t, timeline.Config{Fills: -1})
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	steps(t, l, 10)
	testgame.Equal(t, "place after one input", at(t, l, 1), place{X: 5 + 1, Y: 0})
	put(t, l, 1, 4, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 1)
	testgame.Equal(t, "place after a late one, too", at(t, l, 1), place{X: 5 + 2, Y: 0})
}
