package trial

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Each preset shows its nature.
func TestPresetsDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("plays for minutes")
	}
	o := options(2)
	o.Seconds = 8
	all := map[string]Preset{}
	for _, p := range policy.Presets() {
		r, err := preset(o, p)
		must(t, err)
		t.Logf("%+v", r)
		all[p.String()] = r
		if r.Bytes == 0 || r.VisualError == 0 || r.SeenDelay == 0 || r.Kills == 0 {
			t.Errorf("%v: nothing was measured: %+v", p, r)
		}
	}
	for _, p := range []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}} {
		if r := all[p.String()]; r.Server != 0 || r.Corrections == 0 || r.InputDelay != 0 || r.Withdrawn != 0 {
			t.Errorf("%v: the server goes forward and clients answer at once, are corrected, and nothing is withdrawn; got %+v", p, r)
		}
	}
	if advised, told := all["CorrectOnMismatch"].Down, all["LocalSync"].Down; advised >= told {
		t.Errorf("CorrectOnMismatch sends %v bytes a second down, LocalSync %v", advised, told)
	}
	if r := all["ServerRewind"]; r.InputDelay < 25 || r.InputDelay > 50 {
		t.Errorf("ServerRewind answers after %v ms, suggested are 30", r.InputDelay)
	}
	if r := all["Rollback"]; r.Server == 0 || r.Peers.Players[0] < 1 || r.InputDelay != 0 {
		t.Errorf("under rollback everybody simulates again, and answers at once; got %+v", r)
	}
	if r := all["Lockstep"]; r.Resimulated != 0 || r.Corrections != 0 || r.InputDelay < 50 || r.OwnError != 0 {
		t.Errorf("lockstep never corrects, and answers late; got %+v", r)
	}
}

// The same options give the same results, whichever part ends first.
func TestResultsFollowFromOptions(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		o := options(2, 5)
		o.Seed, o.Seconds = seed, 1
		r, err := Run(o, nil)
		must(t, err)
		again, err := Run(o, nil)
		must(t, err)
		equal(t, "again", again, r)
	})
}

// Each part runs once, whatever the others do, and all errors are returned.
func TestAllParts(t *testing.T) {
	wrong := errors.New("wrong")
	var parts []part
	done := make([]int, 50)
	for i := range done {
		parts = append(parts, measure(strconv.Itoa(i), &done[i], func() (int, error) {
			if i%20 == 7 {
				return 0, wrong
			}
			return i, nil
		}))
	}
	begun := 0
	err := runParts(parts, func(string) { begun++ })
	if !errors.Is(err, wrong) || strings.Count(err.Error(), "wrong") != 3 || !strings.Contains(err.Error(), "27: ") {
		t.Errorf("errors: %v", err)
	}
	equal(t, "parts that were begun", begun, len(parts))
	for i, got := range done {
		if i%20 != 7 {
			equal(t, "result", got, i)
		}
	}
}
