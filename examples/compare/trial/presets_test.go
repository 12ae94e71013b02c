package trial

import (
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
)

// Each preset shows its nature.
func TestPresetsDiffer(t *testing.T) {
	o := options(2)
	o.Seconds = 15
	all := map[policy.Preset]Preset{}
	for _, p := range policy.Presets() {
		r, err := preset(o, p)
		must(t, err)
		t.Logf("%+v", r)
		all[p] = r
		if r.Bytes == 0 || r.VisualError == 0 || r.SeenDelay == 0 || r.Kills == 0 {
			t.Errorf("%v: nothing was measured: %+v", p, r)
		}
	}
	for _, p := range []policy.Preset{policy.LocalSync, policy.Buffered, policy.CorrectOnMismatch} {
		if r := all[p]; r.Server != 0 || r.Corrections == 0 || r.InputDelay != 0 || r.Withdrawn != 0 {
			t.Errorf("%v: the server goes forward and clients answer at once, are corrected, and nothing is withdrawn; got %+v", p, r)
		}
	}
	if all[policy.CorrectOnMismatch].Down >= all[policy.LocalSync].Down {
		t.Errorf("CorrectOnMismatch sends %v bytes a second down, LocalSync %v", all[policy.CorrectOnMismatch].Down, all[policy.LocalSync].Down)
	}
	if r := all[policy.ServerRewind]; r.InputDelay < 25 || r.InputDelay > 50 {
		t.Errorf("ServerRewind answers after %v ms, suggested are 30", r.InputDelay)
	}
	if r := all[policy.Rollback]; r.Server == 0 || r.Peers.Players[0] < 1 || r.InputDelay != 0 {
		t.Errorf("under rollback everybody simulates again, and answers at once; got %+v", r)
	}
	if r := all[policy.Lockstep]; r.Resimulated != 0 || r.Corrections != 0 || r.InputDelay < 50 || r.OwnError != 0 {
		t.Errorf("lockstep never corrects, and answers late; got %+v", r)
	}
}

func TestDuels(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		o := options(2)
		o.Seed = seed
		f, err := fairness(o)
		must(t, err)
		equal(t, "greedy", f.Greedy, lowWins)
		equal(t, "rewind", f.Rewind, bothDie)
		equal(t, "rollback", f.Rollback, bothDie)
		for _, d := range f.Duels {
			equal(t, "rounds of "+d.Model, d.Low+d.High+d.Both+d.None, duelRounds)
		}
	}
}
