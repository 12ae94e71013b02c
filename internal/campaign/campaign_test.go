package campaign

import (
	"testing"

	"github.com/tactusgo/tactus/systems/systemstest"
)

// Whatever the links, the players and the server do, all that the netcode promises holds.
func TestCampaign(t *testing.T) {
	systemstest.Seeds(t, 18, func(t *testing.T, seed uint64) {
		fight(t, newDraw(t, seed))
	})
}

// fight plays a match to its end.
func fight(t *testing.T, d *draw) *match {
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(d)
		}
	})
	m := newMatch(t, d)
	m.play()
	m.end()
	return m
}
