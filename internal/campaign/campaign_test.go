package campaign

import (
	"testing"

	"github.com/tactusgo/tactus/systems/systemstest"
)

// Under every model, whatever links, players and the server do, the netcode keeps its promises, and no byte depends on the
// number of workers. A thousand matches:
//
//	TACTUS_SEEDS=1000 go test ./internal/campaign -run 'TestCampaign$' -timeout 2h
func TestCampaign(t *testing.T) {
	t.Parallel()
	matches, compared, divided := 0, 0, uint64(0)
	systemstest.Seeds(t, 6, func(t *testing.T, seed uint64) {
		m := fight(t, newDraw(t, seed))
		matches++
		divided += m.divided
		if m.history != nil {
			compared += m.history.compared
		}
		for _, workers := range []int{2, 4} {
			if seed%11 > 0 {
				break
			}
			d := newDraw(t, seed)
			d.server.Workers = workers
			if n := fight(t, d); m.hash != n.hash || m.went.Sum64() != n.went.Sum64() {
				t.Errorf("%v: with %d workers its datagrams hash to %016x and its worlds to %016x, with one to %016x and %016x", d, workers, n.went.Sum64(), n.hash, m.went.Sum64(), m.hash)
			}
		}
	})
	if matches >= 12 && (compared < 1000*matches || divided < 100) {
		t.Errorf("%d states were compared in %d matches, in which %d snapshots needed several datagrams", compared, matches, divided)
	}
}

// A client that receives nothing for longer than the audit keeps states keeps its world, and the audit still checks it.
func TestOutagesLoseNothing(t *testing.T) {
	if !long() {
		t.Skip("plays a long match: set TACTUS_LONG=1")
	}
	t.Parallel()
	fight(t, newDraw(t, longOutage))
}

// longOutage is the seed of a match in which a client with 128 sends per second receives nothing for four seconds.
const longOutage = 1034

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
