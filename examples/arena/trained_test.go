package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// A model that was trained on one match makes the snapshots of another match smaller, and changes nothing else.
func TestRecordTrainPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a command")
	}
	dir := t.TempDir()
	record, trained := filepath.Join(dir, "arena.samples"), filepath.Join(dir, "arena.trained")
	const match = "-virtual -duration 11s -clients 8 -npcs 100 -seed "
	if r, _ := report(t, match+"7 -samples "+record); !r.Converged {
		t.Error(r.Difference)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "../../codec/train", "-in", record, "-out", trained).CombinedOutput(); err != nil {
		t.Fatalf("train: %v\n%s", err, out)
	}
	before, _ := report(t, match+"8")
	after, _ := report(t, match+"8 -trained "+trained)
	if before.WorldHash != after.WorldHash || !after.Converged {
		t.Errorf("hash %s, trained %s; %s", before.WorldHash, after.WorldHash, after.Difference)
	}
	if a, b := before.Server.BytesPerUpdate, after.Server.BytesPerUpdate; b > 0.95*a {
		t.Errorf("%.1f bytes an update, trained %.1f", a, b)
	}
}

// A damaged file is reported and ignored. A missing one is a wrong flag.
func TestFilesOfFlags(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "damaged")
	if err := os.WriteFile(name, []byte("tactustr, but no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	const match = "-headless -virtual -duration 2s -warmup 1s -clients 1 -npcs 1 "
	if code, _, errs := run(t, match+"-trained "+name); code != 0 || !strings.Contains(errs, "trained file left out") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for flags, want := range map[string]string{
		match + "-trained " + dir + "/none":        "-trained: pass a file",
		match + "-samples " + dir + "/none/at/all": "-samples: pass the name",
		"-connect 127.0.0.1:1 -samples " + name:    "-record, -samples: not allowed",
	} {
		if code, _, errs := run(t, flags); code != runner.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s", flags, code, errs)
		}
	}
}
