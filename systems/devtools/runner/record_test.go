package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
)

// runPlaza runs the command of the plaza, and returns its exit code and its outputs.
func runPlaza(t *testing.T, flags ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), plaza(), flags, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A recorded match plays with the same frames under every model, in virtual and in real time.
func TestRecordAndReplay(t *testing.T) {
	for _, m := range policy.Presets() {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "match.rec")
			real := m.String() == "Lockstep"
			flags := []string{"-headless", "-clients", "3", "-duration", "7s", "-rtt", "100ms", "-loss", "0.1", "-model", m.String(), "-record", file}
			if real {
				flags = append(flags, "-duration", "2s")
			} else {
				flags = append(flags, "-virtual")
			}
			if code, _, errs := runPlaza(t, flags...); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			code, out, errs := runPlaza(t, "-headless", "-model", m.String(), "-replay", file, "-json")
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			var r ReplayReport
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatal(err)
			}
			if !r.Equal || r.Frames < 20 || r.Duration < 1 || r.Model != m.String() {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Errors about recordings name the file and the reason.
func TestRecordingErrors(t *testing.T) {
	dir := t.TempDir()
	none, foreign := filepath.Join(dir, "no", "match.rec"), filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte(strings.Repeat("no recording ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ flags, want string }{
		{"-headless -virtual -record " + none, "record " + none + ": no such file or directory"},
		{"-headless -replay " + none, "replay " + none + ": no such file or directory"},
		{"-headless -replay " + foreign, "replay " + foreign + ": not a recording"},
		{"-headless -replay " + foreign + " -record " + foreign, "-replay: not allowed"},
	} {
		if code, _, errs := runPlaza(t, strings.Fields(x.flags)...); code == 0 || !strings.Contains(errs, x.want) {
			t.Errorf("%s: exit code %d: %s", x.flags, code, errs)
		}
	}
}
