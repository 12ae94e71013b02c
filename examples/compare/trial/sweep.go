package trial

import (
	"slices"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/systems/policy"
)

// Point is one match of a sweep: ticks simulated again per tick. Every player's input changes in every tick, and a gust that
// only the server simulates strikes each player once a second.
type Point struct {
	Players   int  `json:"players"`
	Latency   int  `json:"latency"` // ticks one way, of all players
	Rollback  Cost `json:"rollback"`
	LocalSync Cost `json:"localsync"`
}

// Cost is the cost of one model.
type Cost struct {
	Total  float64 `json:"total"`      // of all peers
	Server float64 `json:"server"`     //
	Client float64 `json:"per_client"` // mean
	Peers  Peers   `json:"peers"`
}

// The swept values; the other value of each sweep is sweepLatency or sweepPlayers.
var (
	sweptPlayers   = []int{2, 4, 8, 12, 16}
	sweptLatencies = []int{1, 2, 5, 10, 15, 20}
)

const (
	sweepLatency = 5
	sweepPlayers = 4
	sweepTicks   = 180
)

func point(o Options, players, latency int) (p Point, err error) {
	o.Latencies = slices.Repeat([]int{latency}, players)
	p = Point{Players: players, Latency: latency}
	for _, x := range []struct {
		into  *Cost
		model policy.Model
	}{{&p.Rollback, policy.Rollback{}}, {&p.LocalSync, policy.LocalSync{}}} {
		m, err := busy(o, x.model, world.Rules{Gusts: rate})
		if err != nil {
			return p, err
		}
		before := m.counts()
		if err := m.runTicks(sweepTicks); err != nil {
			return p, err
		}
		peers := m.perTick(before)
		*x.into = Cost{
			Total: round(peers.Total()), Server: peers.Server,
			Client: round((peers.Total() - peers.Server) / float64(players)), Peers: peers,
		}
	}
	return p, nil
}
