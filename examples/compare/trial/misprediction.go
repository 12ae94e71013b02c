package trial

import (
	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/systems/policy"
)

// gustEvery is after how many ticks a gust strikes a player where mispredictions are wanted.
const gustEvery = 120

// Misprediction is what one client pays for predictions that were wrong.
type Misprediction struct {
	Latency     int     `json:"latency"`      // ticks one way
	Corrections uint64  `json:"corrections"`  // snapshots that showed a misprediction
	Resimulated uint64  `json:"resimulated"`  // ticks, by the client
	Each        float64 `json:"each"`         // ticks a correction, mean
	Longest     uint64  `json:"longest"`      // ticks a correction, at most
	InputBuffer int     `json:"input_buffer"` // inputs that waited on the server, at most
	Bound       int     `json:"bound"`        // round trip, buffer and one, in ticks
}

// Mispredictions is what LocalSync pays when the server alone strikes the players.
type Mispredictions struct {
	Server  uint64          `json:"server"` // ticks simulated again
	Players []Misprediction `json:"players"`
}

func mispredictions(o Options) (r Mispredictions, err error) {
	m, err := busy(o, policy.LocalSync{}, world.Rules{Gusts: gustEvery})
	if err != nil {
		return r, err
	}
	before := make([]Misprediction, len(m.Clients))
	for i, p := range m.Clients {
		st := p.Stats()
		before[i] = Misprediction{Corrections: st.Corrections, Resimulated: st.Resimulated}
	}
	waiting := make([]int, len(m.Clients))
	m.ticked = func() {
		for s := range m.Server.Clients {
			for i, p := range m.Clients {
				if p.ID() == s.ID {
					waiting[i] = max(waiting[i], s.Waiting)
				}
			}
		}
	}
	if err := m.pass(10 * gustEvery); err != nil {
		return r, err
	}
	r.Server = m.Server.Stats().ResimulatedTicks
	for i, p := range m.Clients {
		st, l := p.Stats(), o.Latencies[i]
		x := Misprediction{
			Latency: l, Corrections: st.Corrections - before[i].Corrections, Resimulated: st.Resimulated - before[i].Resimulated,
			Longest: st.LongestReplay, InputBuffer: waiting[i], Bound: 2*l + waiting[i] + 1,
		}
		x.Each = round(float64(x.Resimulated) / max(float64(x.Corrections), 1))
		r.Players = append(r.Players, x)
	}
	return r, nil
}

// Spike is what a lag spike of one player costs everybody: ticks simulated again for each tick, without it and with it.
type Spike struct {
	Player    string `json:"player"`   // who has it
	Latency   int    `json:"latency"`  // ticks one way meanwhile
	Duration  int    `json:"duration"` // ticks
	Rollback  Spiked `json:"rollback"`
	LocalSync Spiked `json:"localsync"`
}

// Spiked are the figures of one model.
type Spiked struct {
	Calm   Peers `json:"calm"`
	Spiked Peers `json:"spiked"`
}

const (
	spikeLatency  = 25
	spikeDuration = 60
)

func spike(o Options) (s Spike, err error) {
	s = Spike{Player: "p1", Latency: spikeLatency, Duration: spikeDuration}
	for _, x := range []struct {
		into  *Spiked
		model policy.Model
	}{{&s.Rollback, policy.Rollback{}}, {&s.LocalSync, policy.LocalSync{}}} {
		if x.into.Calm, err = spiked(o, x.model, false); err == nil {
			x.into.Spiked, err = spiked(o, x.model, true)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func spiked(o Options, model policy.Model, spike bool) (Peers, error) {
	m, err := busy(o, model, world.Rules{Gusts: gustEvery})
	if err != nil {
		return Peers{}, err
	}
	before := m.counts()
	for _, part := range []struct {
		latency, ticks int
	}{{spikeLatency + o.Latencies[0], spikeDuration}, {o.Latencies[0], gustEvery - spikeDuration}} {
		if spike {
			m.Clients[0].SetLinks(exact(part.latency), exact(part.latency))
		}
		if err := m.pass(part.ticks); err != nil {
			return Peers{}, err
		}
	}
	return m.perTick(before), nil
}
