package game

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// play plays a short match through a terrible link.
func play(t *testing.T, args ...string) (*runner.Report, Proof) {
	t.Helper()
	args = append([]string{"-virtual", "-clients", "6", "-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05", "-duration", "20s"}, args...)
	r, err := runner.Headless(t.Context(), World(), args...)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged {
		t.Errorf("%v: %s", args, r.Difference)
	}
	return r, r.World.(Proof)
}

func TestMatch(t *testing.T) {
	r, p := play(t)
	if r.Preset != "CorrectOnMismatch" || p.Throws == 0 || p.Matched == 0 || p.Mispredicted == 0 || p.Past == 0 || p.Blames == 0 {
		t.Errorf("under %s: %+v", r.Preset, p)
	}
	if p.Matched > p.Throws || r.Causes[0].Component+"."+r.Causes[0].Field != "Kid.Hit" {
		t.Errorf("%d of %d throws were predicted; corrected was %+v", p.Matched, p.Throws, r.Causes)
	}
}

// The same match, each tick simulated twice, has the same end.
func TestMatchForced(t *testing.T) {
	a, _ := play(t)
	b, _ := play(t, "-force-rollback")
	if b.Divergences > 0 || a.WorldHash != b.WorldHash {
		t.Errorf("%d divergences, %s; hash %s, %s without", b.Divergences, b.Divergence, b.WorldHash, a.WorldHash)
	}
}

// With -drift corrections are all the time, and everything points at the rule.
func TestDrift(t *testing.T) {
	_, calm := play(t)
	r, p := play(t, "-drift", "-force-rollback")
	if p.Blames < 3*calm.Blames || r.Causes[0].Component+"."+r.Causes[0].Field != "Position.X" {
		t.Errorf("%d blames, %d without; first %+v", p.Blames, calm.Blames, r.Causes[0])
	}
	if !strings.Contains(r.Divergence, `after system "drift", Position.X`) {
		t.Errorf("the divergence is %q", r.Divergence)
	}
}
