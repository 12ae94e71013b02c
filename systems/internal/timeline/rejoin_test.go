package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// What a player sent ahead before it left is nothing to it when it comes again.
func TestInputsAheadEndWithTheirPlayer(t *testing.T) {
	l := newTimeline(timeline.Config{})
	must(t, l.Join(1, 0, 0))
	steps(t, l, 10)
	for tick := range uint32(20) {
		l.Put(1, tick, words(steer{DX: 1}))
	}
	must(t, l.Leave(1, 12))
	newest, _ := l.Newest(1)
	equal(t, "newest input", newest, 11)
	must(t, l.Join(1, 14, 16))
	steps(t, l, 10)
	equal(t, "where its soldier is", at(t, l, 1), place{X: 5})
	put(t, l, 1, 17, steer{DX: -1}, timeline.Rewrote)
	steps(t, l, 1)
	equal(t, "where its soldier is", at(t, l, 1).X < 5, true)
}
