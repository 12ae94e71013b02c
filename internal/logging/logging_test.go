package logging_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/logging"
)

// A *slog.Logger is a logger. A nil one counts as not configured, and is not called.
func TestSlogIsALogger(t *testing.T) {
	var b bytes.Buffer
	l := logging.Or(slog.New(slog.NewTextHandler(&b, nil)))
	l.Debug("a")
	l.Info("b", "n", 1)
	l.Warn("c")
	l.Error("d")
	if s := b.String(); strings.Count(s, "\n") != 3 || !strings.Contains(s, "msg=b n=1") {
		t.Errorf("%s", s)
	}
	var none *slog.Logger
	for _, l := range []logging.Logger{nil, none} {
		if logging.Given(l) {
			t.Errorf("%v is given", l)
		}
		l = logging.Or(l)
		l.Debug("a")
		l.Info("b")
		l.Warn("c")
		l.Error("d")
	}
}
