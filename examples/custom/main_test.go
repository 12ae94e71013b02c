package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// play runs the command in virtual time through a terrible link.
func play(t *testing.T, args ...string) runner.Report {
	t.Helper()
	args = append([]string{
		"-headless", "-virtual", "-json",
		"-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05", "-duration", "20s", "-warmup", "8s",
	}, args...)
	var out bytes.Buffer
	if code := runner.Main(t.Context(), pages.Beside(game.World()), args, &out, io.Discard); code != 0 {
		t.Fatalf("%v: exit code %d", args, code)
	}
	var r runner.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Server.InputsMissing != 0 {
		t.Errorf("%v: converged %v, inputs missing %d: %s", args, r.Converged, r.Server.InputsMissing, r.Difference)
	}
	return r
}

func TestEight(t *testing.T) {
	r := play(t)
	if r.Client.P99Error >= game.Width {
		t.Errorf("error p99 %v units, want less than %d", r.Client.P99Error, game.Width)
	}
	if r.Client.OwnResponseTicks > 1 {
		t.Errorf("the own player answers after %d ticks", r.Client.OwnResponseTicks)
	}
}

// A client can have every system of its own at once.
func TestOwnSystems(t *testing.T) {
	play(t, "-clients", "2", "-own", "inputgather,predict,reconcile,interpolate")
	play(t, "-clients", "2", "-own", "inputgather,shift")
	if code := runner.Main(t.Context(), pages.Beside(game.World()), []string{"-own", "snapshot"}, io.Discard, io.Discard); code == 0 {
		t.Error("a system that nobody has is taken")
	}
}

// Storage order and re-simulation change nothing, and so they leave the hash.
func TestForcedRollback(t *testing.T) {
	a, b := play(t, "-clients", "4"), play(t, "-clients", "4", "-force-rollback")
	if a.WorldHash != b.WorldHash || b.Divergences != 0 {
		t.Errorf("hash %s, with forced rollback %s and %d divergences: %s", a.WorldHash, b.WorldHash, b.Divergences, b.Divergence)
	}
}
