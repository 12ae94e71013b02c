package notice

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A queue stores a limited number of notices. Excess notices that the client can cause are counted.
func TestQueueIsBounded(t *testing.T) {
	var q Queue
	n := wire.Notice{Kind: wire.NoticeCommand, Input: 7}
	for k := range 2 * inflight.Waiting {
		if got, want := q.Add(&n), k < inflight.Waiting; got != want {
			t.Fatalf("notice %d: added %v", k, got)
		}
	}
	if q.Waiting() != inflight.Waiting || q.Untold() != 0 {
		t.Errorf("%d wait, %d were not told", q.Waiting(), q.Untold())
	}
	q = Queue{}
	for tick := range uint32(600) {
		q.AddLimited(&n, 60, tick)
	}
	if q.Waiting() != inflight.Waiting || q.Untold() != 600-inflight.Waiting {
		t.Errorf("%d wait, %d were not told", q.Waiting(), q.Untold())
	}
}

// Each event is logged once, independently of the others.
func TestOnce(t *testing.T) {
	var o Once
	for _, what := range []Once{Flooded, Budget, Input, Fast, Desync, Unstable, Command} {
		if !o.First(what) || o.First(what) {
			t.Errorf("%b is not logged once", what)
		}
	}
}
