package game

import (
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// play plays a short match through a terrible link.
func play(t *testing.T, args ...string) (*runner.Report, Proof) {
	t.Helper()
	args = append([]string{"-virtual", "-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05", "-duration", "12s", "-warmup", "4s"}, args...)
	r, err := runner.Headless(t.Context(), World(), args...)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Client.MaxError != 0 && r.Preset == "Lockstep" {
		t.Errorf("%v: %s, error %v", args, r.Difference, r.Client.MaxError)
	}
	return r, r.World.(Proof)
}

func TestMatch(t *testing.T) {
	for _, preset := range []string{"Rollback", "Lockstep"} {
		r, p := play(t, "-model", preset)
		if r.Clients != 2 || p.Contacts == 0 || p.Checked == 0 || (p.Rollbacks > 0) != (preset == "Rollback") {
			t.Errorf("under %s, %d clients: %+v", preset, r.Clients, p)
		}
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

// With -keep the worlds diverge, which the rest of this package prevents.
func TestKeep(t *testing.T) {
	r, err := runner.Headless(t.Context(), World(), "-virtual", "-rtt", "200ms", "-duration", "12s", "-warmup", "4s", "-keep", "-force-rollback")
	if err != nil || r.Divergences == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}
