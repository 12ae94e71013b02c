package overload

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
)

// Dropped ticks are logged at most once per interval. A call allocates nothing.
func TestBehindTellsOnceInAWhile(t *testing.T) {
	var out bytes.Buffer
	log, now, b := slog.New(slog.NewTextHandler(&out, nil)), time.Unix(100, 0), DropLog{}
	for _, dropped := range []uint64{0, 3, 5, 7} {
		b.Log(log, now, dropped, "clients", 1000)
		now = now.Add(time.Second)
	}
	b.Log(log, now.Add(dropLogInterval), 9, "clients", 1000)
	if s := out.String(); strings.Count(s, "\n") != 2 || !strings.Contains(s, "ticks=3 clients=1000") || !strings.Contains(s, "ticks=6 clients=1000") {
		t.Error(s)
	}
	n := 1000
	if allocs := testing.AllocsPerRun(100, func() { b.Log(log, now, 9, "clients", n); n++ }); allocs > 0 && !race.Enabled {
		t.Errorf("%v allocations to say nothing", allocs)
	}
}
