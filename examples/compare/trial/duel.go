package trial

import (
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Fairness names the winner for each model when two players with round trips of 20 and 200 ms shoot each other at the same
// moment: "low latency", "high latency", "both die", "nobody dies", or "mixed" if rounds end differently.
//
// If inputs name the tick in which they apply, the players shoot in the same tick of their own worlds. Under greedy, which
// knows no ticks of clients, they shoot at the same instant of real time. Duels has both for each model.
type Fairness struct {
	Greedy   string `json:"greedy"`   // LocalSync with Arrival
	Rewind   string `json:"rewind"`   // ServerRewind
	Rollback string `json:"rollback"` //
	Lockstep string `json:"lockstep"` //
	Duels    []Duel `json:"duels"`
}

// Duel counts how the rounds of one model ended.
type Duel struct {
	Model  string `json:"model"`
	Moment string `json:"moment"` // "same instant" or "same tick"
	Winner string `json:"winner"`
	Rounds int    `json:"rounds"`
	Low    int    `json:"low_latency_wins"`
	High   int    `json:"high_latency_wins"`
	Both   int    `json:"both_die"`
	None   int    `json:"nobody_dies"`
}

// How a duel ends, and the moment for which both players wait.
const (
	lowWins  = "low latency"
	highWins = "high latency"
	bothDie  = "both die"
	noneDies = "nobody dies"
	mixed    = "mixed"

	sameInstant = "same instant"
	sameTick    = "same tick"
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
	duelEvery  = 3 * time.Second // enough for both to get up again
)

var duelTrips = []time.Duration{20 * time.Millisecond, 200 * time.Millisecond}

func fairness(o Options) (f Fairness, err error) {
	greedy := policy.LocalSync{Arrival: true}
	for _, x := range []struct {
		into  *string
		name  string
		model policy.Model
		by    string
	}{
		{&f.Greedy, "greedy (LocalSync, arrival)", greedy, sameInstant},
		{&f.Rewind, policy.ServerRewind{}.String(), policy.ServerRewind{}, sameTick},
		{&f.Rollback, policy.Rollback{}.String(), policy.Rollback{}, sameTick},
		{&f.Lockstep, policy.Lockstep{}.String(), policy.Lockstep{}, sameTick},
	} {
		for _, by := range []string{sameInstant, sameTick} {
			d, err := duel(o, x.model, by)
			if err != nil {
				return f, err
			}
			d.Model, d.Moment, d.Winner = x.name, by, d.winner()
			f.Duels = append(f.Duels, d)
			if by == x.by {
				*x.into = d.Winner
			}
		}
	}
	return f, nil
}

// duel plays duelRounds rounds in which two players shoot each other at the same moment.
func duel(o Options, model policy.Model, by string) (d Duel, err error) {
	var links []netsys.Link
	for _, rtt := range duelTrips {
		links = append(links, netsys.Link{Latency: rtt / 2})
	}
	var at time.Time
	var tick uint32
	aims, pressed := make([]uint16, 2), make([]bool, 2)
	m, err := newMatch(setup{
		model: model, seed: o.Seed, links: links, spread: true, rules: world.Rules{Harm: 100, Apart: true},
		play: func(n int, now moment) world.Input {
			in := world.Input{Aim: aims[n]}
			if tick > 0 && !pressed[n] && (by == sameTick && now.tick >= tick || by == sameInstant && !now.Before(at)) {
				pressed[n], in.Fire = true, true
			}
			return in
		},
	})
	if err != nil {
		return d, err
	}
	if err := m.warmUp(warmup); err != nil {
		return d, err
	}
	for n := range m.Clients {
		from, _ := world.Find(m.Server.World(), m.Clients[n].ID())
		to, _ := world.Find(m.Server.World(), m.Clients[1-n].ID())
		turn := math.Atan2(float64(to.Pos.Y-from.Pos.Y), float64(to.Pos.X-from.Pos.X)) * 180 / math.Pi
		aims[n] = uint16(math.Round(turn+360)) % 360
	}
	if err := m.runTicks(rate); err != nil {
		return d, err
	}
	random := ecs.NewRand(o.Seed, 1<<41)
	for range duelRounds {
		clear(pressed)
		at, tick = m.Now().Add(time.Duration(random.Float64()*float64(step))), m.Server.World().Tick()+rate/2
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

// fallen runs the match for d and reports which players the server finally killed.
func (m *match) fallen(d time.Duration) (who [2]bool, err error) {
	m.killed = func(k world.Kill) {
		for n, p := range m.Clients {
			e, ok := m.Server.World().ByNetID(k.Victim)
			if ok && ecs.Get[components.Owner](m.Server.World(), e).Client == p.ID() {
				who[n] = true
			}
		}
	}
	err = m.runUntil(m.Now().Add(d))
	m.killed = nil
	return who, err
}
