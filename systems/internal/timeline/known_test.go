package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func TestWhatIsDecidedOfAPlayer(t *testing.T) {
	l := playing(t, timeline.Config{Window: 10})
	decided := func(what string, want uint32, is bool) {
		t.Helper()
		got, ok := l.Decided(1)
		equal(t, what+": something is decided", ok, is)
		equal(t, what, got, want)
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
	equal(t, "missing", l.Missing(1), uint64(l.Next()-10-7))
	_, ok := l.Decided(99)
	equal(t, "of a stranger", ok, false)
	equal(t, "missing of a stranger", l.Missing(99), 0)
}

func TestNothingIsRepeated(t *testing.T) {
	l := playing(t, timeline.Config{Fills: -1})
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	steps(t, l, 10)
	equal(t, "place after one input", at(t, l, 1), place{5 + 1, 0})
	put(t, l, 1, 4, steer{DX: 1}, timeline.Rewrote)
	steps(t, l, 1)
	equal(t, "place after a late one, too", at(t, l, 1), place{5 + 2, 0})
}
