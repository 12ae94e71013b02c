package campaign

import (
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Whatever the links, the players and the server do, all that the netcode promises holds, under
// each model, and the same seed is the same match. A thousand matches:
//
//	TACTUS_SEEDS=1000 go test ./internal/campaign -run 'TestCampaign$' -timeout 2h
func TestCampaign(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, 13, func(t *testing.T, seed uint64) {
		m := fight(t, newDraw(t, seed))
		if again := uint64(13); seed%again == 0 {
			if n := fight(t, newDraw(t, seed)); m.hash != n.hash {
				t.Errorf("%v: played twice it ends with %016x and %016x", m.draw, m.hash, n.hash)
			}
		}
	})
}

// A client of a server that rewinds commits nothing that late inputs of others can still undo
// there. In this match they do, to what has been confirmed.
func TestNetcodeB5_ConfirmedOutcomesCanBeRewritten(t *testing.T) {
	d := newDraw(t, rewritten)
	if d.preset != policy.ServerRewind {
		t.Errorf("it is under %v", d.preset)
	}
	fight(t, d)
}

// rewritten is the seed of a match in which the server goes back for what clients have confirmed.
const rewritten = 579

// What own state no longer names has ended on the server, though news of its slot may still
// come: a client that simulated it on until then would see it end a second time.
func TestWhatHasEndedEndsOnce(t *testing.T) {
	t.Parallel()
	fight(t, newDraw(t, endedEarly))
}

// endedEarly is the seed of a match in which shells hit what their client does not see.
const endedEarly = 614

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
