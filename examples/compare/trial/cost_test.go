package trial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/systems/policy"
)

var (
	local    = policy.LocalSync{}
	rollback = policy.Rollback{}
)

func options(latencies ...int) Options {
	return Options{Latencies: latencies, Players: 4, Seconds: 5, Seed: 1}
}

// expected returns the cost of rollback for players at these latencies, according to the proof of cost.
func expected(latencies []int) (isolated, steady Peers) {
	for i, own := range latencies {
		sum, most := 0, 0
		for j, other := range latencies {
			if i != j {
				sum += own + other
				most = max(most, own+other)
			}
		}
		isolated.Server += float64(own)
		steady.Server = max(steady.Server, float64(own))
		isolated.Players = append(isolated.Players, float64(sum))
		steady.Players = append(steady.Players, float64(most))
	}
	return isolated, steady
}

// stars returns lists of latencies. The last ones are drawn in each run, and one may appear twice.
func stars() [][]int {
	if testing.Short() {
		return [][]int{{2, 5, 10}}
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	drawn := make([]int, 2+random.IntN(4))
	for i := range drawn {
		drawn[i] = 1 + random.IntN(12)
	}
	return [][]int{{2, 5, 10}, {7}, {4, 4, 9}, {12, 20, 30}, drawn}
}

func TestExpectations(t *testing.T) {
	isolated, steady := expected([]int{2, 5, 10})
	equal(t, "isolated", isolated, Peers{17, []float64{19, 22, 27}})
	equal(t, "steady", steady, Peers{10, []float64{12, 15, 15}})
	isolated, steady = expected([]int{3, 4, 9})
	equal(t, "isolated", isolated, Peers{16, []float64{19, 20, 25}})
	equal(t, "steady", steady, Peers{9, []float64{12, 13, 13}})
}

func TestRollbackCostsWhatTheProofSays(t *testing.T) {
	for _, latencies := range stars() {
		t.Run(fmt.Sprint(latencies), func(t *testing.T) {
			wantOnce, wantSteady := expected(latencies)
			once, err := isolated(options(latencies...), rollback)
			must(t, err)
			equal(t, "one change of each input", once, wantOnce)
			always, err := steady(options(latencies...), rollback)
			must(t, err)
			equal(t, "inputs change in every tick", always, wantSteady)
		})
	}
}

func TestLocalSyncCostsNothingWhenPredictionsAreRight(t *testing.T) {
	for _, latencies := range stars() {
		t.Run(fmt.Sprint(latencies), func(t *testing.T) {
			nothing := Peers{Players: make([]float64, len(latencies))}
			once, err := isolated(options(latencies...), local)
			must(t, err)
			equal(t, "one change of each input", once, nothing)
			always, err := steady(options(latencies...), local)
			must(t, err)
			equal(t, "inputs change in every tick", always, nothing)
		})
	}
}

func TestMispredictionsCostARoundTrip(t *testing.T) {
	for _, latencies := range stars() {
		m, err := mispredictions(options(latencies...))
		must(t, err)
		equal(t, "ticks that the server simulates again", m.Server, 0)
		for i, p := range m.Players {
			if p.Corrections != 10 {
				t.Errorf("latencies %v: p%d: %d corrections of 10 gusts", latencies, i+1, p.Corrections)
			}
			if p.Longest > uint64(p.Bound) || p.Resimulated > p.Corrections*uint64(p.Bound) || p.Resimulated == 0 {
				t.Errorf("latencies %v: p%d: %+v: beyond the bound", latencies, i+1, p)
			}
		}
	}
}

func TestSpikeStaysAtHomeUnderLocalSync(t *testing.T) {
	for _, latencies := range stars()[:1] {
		s, err := spike(options(latencies...))
		must(t, err)
		equal(t, "others under LocalSync", s.LocalSync.Spiked.Players[1:], s.LocalSync.Calm.Players[1:])
		equal(t, "the server under LocalSync", s.LocalSync.Spiked.Server, 0)
		if s.LocalSync.Spiked.Players[0] <= s.LocalSync.Calm.Players[0] {
			t.Errorf("latencies %v: the spike costs nothing: there was none", latencies)
		}
		for i, calm := range s.Rollback.Calm.Players {
			if s.Rollback.Spiked.Players[i] <= calm {
				t.Errorf("latencies %v: under rollback the spike costs p%d nothing", latencies, i+1)
			}
		}
	}
}

func TestCostsGrow(t *testing.T) {
	var before Point
	for _, players := range []int{2, 6} {
		p, err := point(options(1), players, 3)
		must(t, err)
		if want := float64(3 + 2*3*players); math.Abs(p.Rollback.Total-want) > want/50 {
			t.Errorf("%d players under rollback: %v in all, want %v", players, p.Rollback.Total, want)
		}
		if before.Players > 0 {
			equal(t, "a client under LocalSync, among more", p.LocalSync.Client, before.LocalSync.Client)
		}
		for _, v := range p.LocalSync.Peers.Players {
			equal(t, "each client under LocalSync", v, p.LocalSync.Client)
		}
		if p.LocalSync.Client == 0 || p.LocalSync.Server != 0 {
			t.Errorf("%d players under LocalSync: %+v", players, p.LocalSync)
		}
		before = p
	}
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
	m, err := busy(options(2, 5, 10), rollback, world.Rules{Gusts: gustEvery})
	must(t, err)
	before, worlds := m.counts(), m.worlds()
	must(t, m.runTicks(gustEvery))
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
