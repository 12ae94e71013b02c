package trial

import (
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/yard"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Fairness is who wins when two players with round trips of 20 and 200 ms shoot each other at the same moment: "low
// latency", "high latency", "both die", "nobody dies", or "mixed" when rounds end differently.
type Fairness struct {
	Greedy   string `json:"greedy"`   // LocalSync, every input in the tick in which it arrives
	Rewind   string `json:"rewind"`   // ServerRewind
	Rollback string `json:"rollback"` //
	Lockstep string `json:"lockstep"` //
	Duels    []Duel `json:"duels"`
}

// Duel is how the rounds of one model ended.
type Duel struct {
	Model  string `json:"model"`
	Rounds int    `json:"rounds"`
	Low    int    `json:"low_latency_wins"`
	High   int    `json:"high_latency_wins"`
	Both   int    `json:"both_die"`
	None   int    `json:"nobody_dies"`
}

// The ways in which a duel ends.
const (
	lowWins  = "low latency"
	highWins = "high latency"
	bothDie  = "both die"
	noneDies = "nobody dies"
	mixed    = "mixed"
)

func (d Duel) winner() string {
	switch d.Rounds {
	case d.Low:
		return lowWins
	case d.High:
		return highWins
	case d.Both:
		return bothDie
	case d.None:
		return noneDies
	}
	return mixed
}

const (
	duelRounds = 10
	duelEvery  = 3 * time.Second // more than both need to get up again
)

var duelTrips = []time.Duration{20 * time.Millisecond, 200 * time.Millisecond}

func fairness(o Options) (f Fairness, err error) {
	greedy := policy.LocalSync.Policies()
	greedy.Timing = policy.TimingArrival
	for _, x := range []struct {
		into  *string
		name  string
		model policy.Policies
	}{
		{&f.Greedy, "greedy (LocalSync, arrival)", greedy},
		{&f.Rewind, policy.ServerRewind.String(), policy.ServerRewind.Policies()},
		{&f.Rollback, policy.Rollback.String(), policy.Rollback.Policies()},
		{&f.Lockstep, policy.Lockstep.String(), policy.Lockstep.Policies()},
	} {
		d, err := duel(o, x.model)
		if err != nil {
			return f, err
		}
		d.Model = x.name
		f.Duels = append(f.Duels, d)
		*x.into = d.winner()
	}
	return f, nil
}

// duel lets two players shoot each other at the same moment, a number of times.
func duel(o Options, model policy.Policies) (d Duel, err error) {
	var links []netsys.Link
	for _, rtt := range duelTrips {
		links = append(links, netsys.Link{Latency: rtt / 2})
	}
	var at time.Time
	aims := make([]uint16, 2)
	m, err := newMatch(setup{
		model: model, seed: o.Seed, links: links, spread: true, rules: yard.Rules{Harm: 100, Apart: true},
		play: func(n int, now time.Time) yard.Input {
			since := now.Sub(at)
			return yard.Input{Aim: aims[n], Fire: !at.IsZero() && since >= 0 && since < step}
		},
	})
	if err != nil {
		return d, err
	}
	if err := m.begin(warmup); err != nil {
		return d, err
	}
	for n := range m.players {
		from, _ := yard.Find(m.server.World(), m.players[n].ID())
		to, _ := yard.Find(m.server.World(), m.players[1-n].ID())
		turn := math.Atan2(float64(to.Pos.Y-from.Pos.Y), float64(to.Pos.X-from.Pos.X)) * 180 / math.Pi
		aims[n] = uint16(math.Round(turn+360)) % 360
	}
	if err := m.pass(rate); err != nil {
		return d, err
	}
	draw := ecs.NewRand(o.Seed, 1<<41)
	for range duelRounds {
		at = m.now.Add(time.Duration(draw.Float64() * float64(step)))
		fallen, err := m.fallen(duelEvery)
		if err != nil {
			return d, err
		}
		d.Rounds++
		switch {
		case fallen[0] && fallen[1]:
			d.Both++
		case fallen[1]:
			d.Low++
		case fallen[0]:
			d.High++
		default:
			d.None++
		}
	}
	if n := m.kills.begun - m.kills.committed - m.kills.withdrawn; n != 0 {
		return d, fmt.Errorf("%s: %w: %d kills are still provisional", model, errUnsettled, n)
	}
	return d, nil
}

// fallen lets time pass and tells who fell for good, by the server's word.
func (m *match) fallen(d time.Duration) (who [2]bool, err error) {
	m.killed = func(k yard.Kill) {
		for n, p := range m.players {
			e, ok := m.server.World().ByNetID(k.Victim)
			if ok && ecs.Get[components.Owner](m.server.World(), e).Client == p.ID() {
				who[n] = true
			}
		}
	}
	err = m.run(m.now.Add(d))
	m.killed = nil
	return who, err
}
