package game

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// A model that does not suit the world is refused. The message lists those that do.
func TestPresets(t *testing.T) {
	var errs bytes.Buffer
	code := runner.Main(t.Context(), World(), []string{"-headless", "-virtual", "-model", "Rollback"}, io.Discard, &errs)
	if code != 2 || !strings.Contains(errs.String(), "Buffered, LocalSync") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
	if code := runner.Main(t.Context(), World(), strings.Fields("-headless -virtual -clients 1 -duration 2s -warmup 1s -model LocalSync"), io.Discard, &errs); code != 0 {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}
