package trial

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Peers has one figure of every peer.
type Peers struct {
	Server  float64
	Players []float64 // in the order of their latencies as given
}

// MarshalJSON writes an object with the fields server, p1, p2 and so on.
func (p Peers) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	write := func(name string, v float64) error {
		n, err := json.Marshal(v)
		_, _ = fmt.Fprintf(&b, "%q:%s", name, n)
		return err
	}
	b.WriteByte('{')
	err := write("server", p.Server)
	for i, v := range p.Players {
		b.WriteByte(',')
		if err == nil {
			err = write(fmt.Sprintf("p%d", i+1), v)
		}
	}
	b.WriteByte('}')
	return []byte(b.String()), err
}

// Total returns the sum over all peers.
func (p Peers) Total() float64 {
	sum := p.Server
	for _, v := range p.Players {
		sum += v
	}
	return sum
}

// counts has the ticks that every peer has simulated: again, and for the first time.
type counts struct{ again, first Peers }

func (m *match) counts() counts {
	s := m.Server.Stats()
	c := counts{Peers{Server: float64(s.ResimulatedTicks)}, Peers{Server: float64(m.Server.Tick())}}
	for _, p := range m.Clients {
		st := p.Stats()
		c.again.Players = append(c.again.Players, float64(st.Resimulated))
		c.first.Players = append(c.first.Players, float64(st.Ticks))
	}
	return c
}

// combine applies f to the two figures of every peer.
func combine(a, b Peers, f func(a, b float64) float64) Peers {
	p := Peers{Server: f(a.Server, b.Server)}
	for i := range a.Players {
		p.Players = append(p.Players, f(a.Players[i], b.Players[i]))
	}
	return p
}

// since returns the ticks that were simulated again after c.
func (m *match) since(c counts) Peers {
	return combine(m.counts().again, c.again, func(is, was float64) float64 { return is - was })
}

// perTick returns the ticks that were simulated again after c, per completed tick.
func (m *match) perTick(c counts) Peers {
	ticks := combine(m.counts().first, c.first, func(is, was float64) float64 { return is - was })
	return combine(m.since(c), ticks, func(again, ticks float64) float64 { return round(again / max(ticks, 1)) })
}

// medians returns the median of the samples for every peer.
func medians(samples []Peers) (p Peers) {
	values := make([]float64, len(samples))
	median := func(of func(Peers) float64) float64 {
		for i, s := range samples {
			values[i] = of(s)
		}
		slices.Sort(values)
		return values[(len(values)-1)/2]
	}
	p.Server = median(func(s Peers) float64 { return s.Server })
	for n := range samples[0].Players {
		p.Players = append(p.Players, median(func(s Peers) float64 { return s.Players[n] }))
	}
	return p
}
