package trial

import (
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/systems/policy"
)

var (
	rollback = policy.Rollback{}
)

func options(latencies ...int) Options {
	return Options{Latencies: latencies, Players: 4, Seconds: 5, Seed: 1}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Under rollback, the statistics of server and clients equal the counts of their worlds.
func TestWorldsCountTheSame(t *testing.T) {
	m, err := busy(options(2, 5, 10), rollback)
	must(t, err)
	before, worlds := m.counts(), m.worlds()
	must(t, m.runTicks(120))
	again := m.since(before)
	equal(t, "ticks again", again, combine(m.worlds(), worlds, func(is, was float64) float64 { return is - was }))
	if again.Server == 0 {
		t.Error("nothing was simulated again")
	}
}

func (m *match) worlds() Peers {
	p := Peers{Server: float64(m.Server.World().Resimulated())}
	for _, c := range m.Clients {
		p.Players = append(p.Players, float64(c.World().Resimulated()))
	}
	return p
}
