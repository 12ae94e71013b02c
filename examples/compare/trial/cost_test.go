package trial

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

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
