package trial

import (
	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/systems/policy"
)

// gustEvery is the number of ticks between two gusts that strike a player, which cause mispredictions.
const gustEvery = 120

// Misprediction is the cost of wrong predictions of one client.
type Misprediction struct {
	Latency     int     `json:"latency"`      // ticks one way
	Corrections uint64  `json:"corrections"`  // snapshots that showed a misprediction
	Resimulated uint64  `json:"resimulated"`  // ticks, by the client
	Each        float64 `json:"each"`         // ticks per correction, mean
	Longest     uint64  `json:"longest"`      // ticks per correction, largest
	InputBuffer int     `json:"input_buffer"` // inputs that waited on the server, largest
	Bound       int     `json:"bound"`        // round trip + input buffer + 1, in ticks
}

// Mispredictions is the cost of wrong predictions under LocalSync: gusts that only the server simulates strike the players.
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
	if err := m.runTicks(10 * gustEvery); err != nil {
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

// Spike is the cost of a lag spike of one player for all peers: ticks simulated again per tick, with and without the spike.
type Spike struct {
	Player    string `json:"player"`   // the player with the spike
	Latency   int    `json:"latency"`  // additional ticks one way during the spike
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
		if err := m.runTicks(part.ticks); err != nil {
			return Peers{}, err
		}
	}
	return m.perTick(before), nil
}
