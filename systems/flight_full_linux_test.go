package systems_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// errorLog keeps the errors that a server logs about flights.
type errorLog struct{ lines []string }

func (l *errorLog) Debug(string, ...any) {}
func (l *errorLog) Info(string, ...any)  {}
func (l *errorLog) Warn(string, ...any)  {}
func (l *errorLog) Error(msg string, args ...any) {
	var line strings.Builder
	line.WriteString(msg)
	for _, a := range args {
		if err, is := a.(error); is {
			line.WriteString(": " + err.Error())
		}
	}
	l.lines = append(l.lines, line.String())
}

// A full disk does not stop the match. One error names the file and the reason.
func TestFlightOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	log, file := &errorLog{}, filepath.Join(dir, "desync.flight")
	c := flightConfig(1, policy.Rollback{}, &systems.Flight{File: file})
	c.Server.Logger = log
	c.Protocol = wrongHerd(wrong{state: new(atomic.Uint32), from: 400})
	x := systemstest.New(t, c)
	x.RunUntil(20*time.Second, func() bool { return x.Server.Stats().Divergences > 0 })
	before := x.Server.Tick()
	x.Run(10 * time.Second)
	if x.Server.Tick() < before+590 {
		t.Errorf("the match runs from tick %d to %d", before, x.Server.Tick())
	}
	if err := x.Server.Close(x.Now()); err != nil {
		t.Fatal(err)
	}
	if len(log.lines) != 1 || log.lines[0] != "the flight was not written: save "+file+": no space left on device" {
		t.Errorf("logged %q", log.lines)
	}
	if n, _ := os.ReadDir(dir); len(n) != 0 {
		t.Errorf("%d files", len(n))
	}
}

// A panic continues if the flight cannot be written.
func TestFlightWithoutADirectory(t *testing.T) {
	log, file := &errorLog{}, filepath.Join(t.TempDir(), "no", "panic.flight")
	c := flightConfig(1, policy.Lockstep{}, &systems.Flight{File: file})
	c.Server.Logger = log
	most := 1
	c.Protocol = wrongHerd(wrong{panics: 100, most: &most})
	x := systemstest.New(t, c)
	defer func() {
		if v := recover(); v == nil || len(log.lines) != 1 || !strings.HasSuffix(log.lines[0], "save "+file+": no such file or directory") {
			t.Errorf("panic %v, logged %q", v, log.lines)
		}
	}()
	x.Run(10 * time.Second)
}
