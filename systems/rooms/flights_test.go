package rooms

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// A room writes its flight on request, and when its game panics. The flight can be rerun.
func TestFlights(t *testing.T) {
	folder, kind, armed := t.TempDir(), fields(4), false
	kind.Protocol = func() *ecs.Protocol {
		return fieldWith(func(w *ecs.World) {
			if armed && w.Tick() > 30 {
				panic("the ground opens")
			}
		})
	}
	h := newHouse(t, Config{Kinds: []Kind{kind}, Flights: folder})
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	rerun := func(file string) *systems.RerunReport {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		report, err := systems.Rerun(b, func(string, int) (*ecs.Protocol, systems.ServerConfig) { return kind.Protocol(), kind.Server })
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	h.run(time.Second)
	file, err := r.WriteFlight("by ada")
	if err != nil || filepath.Dir(file) != folder || !strings.HasPrefix(filepath.Base(file), "field-") {
		t.Fatal(file, err)
	}
	if x := rerun(file); !x.Equal || x.Reason != "by ada" || x.Ticks == 0 || h.events[RoomFlight] != 1 {
		t.Errorf("%+v, %d events", *x, h.events[RoomFlight])
	}
	armed = true
	h.run(5 * time.Second)
	if h.events[RoomFailed] != 1 || h.events[RoomFlight] != 2 {
		t.Fatalf("events %v", h.events)
	}
	if x := rerun(file); !x.Equal || x.Panic == nil || x.Panic.Value != "the ground opens" {
		t.Errorf("%+v", *x)
	}
	if _, err := r.WriteFlight("too late"); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
}

// A missing folder is reported, and the room continues.
func TestFlightsWithoutAFolder(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(4)}, Flights: filepath.Join(t.TempDir(), "no")})
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	if file, err := r.WriteFlight("by ada"); err == nil || !strings.Contains(err.Error(), file+": no such file") || h.events[RoomFlight] != 1 {
		t.Error(err, h.events)
	}
	none := newHouse(t, Config{Kinds: []Kind{fields(4)}})
	if r, err = none.server.Create("field", Creation{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteFlight("by ada"); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}
