package main

import (
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/bodies/scene"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

const (
	warmup         = 10   // seconds before the measurement
	datagramHeader = 28   // bytes of UDP and IPv4
	precision      = 0.01 // of positions
	turnPrecision  = 0.001
)

// row is the result on one link.
type row struct {
	RTT       int64   `json:"rtt_ms"`
	Loss      float64 `json:"loss"`
	Down      float64 `json:"down_kb_s"`
	Up        float64 `json:"up_kb_s"`
	Datagrams float64 `json:"datagrams_s"`
	Goodput   float64 `json:"goodput_kb_s"`
	Position  spread  `json:"position_error"`
	Rotation  spread  `json:"rotation_error"`
	Parts     []part  `json:"parts"`
}

// spread summarizes errors.
type spread struct {
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	n    float64
}

func (s *spread) add(v float64) {
	s.n++
	s.Max, s.Mean = max(s.Max, v), s.Mean+(v-s.Mean)/s.n
}

// part is a part of the bytes from the server.
type part struct {
	Name string  `json:"name"`
	Rate float64 `json:"kb_s"`
}

// truths holds the bodies of the newest ticks on the server.
type truths [64]map[components.NetID]scene.Body

func (t *truths) record(w *ecs.World, tick uint32) {
	at := &t[tick%uint32(len(t))]
	if *at == nil {
		*at = make(map[components.NetID]scene.Body)
	}
	for e, r := range ecs.All[struct{ Body scene.Body }](w) {
		(*at)[w.NetID(e)] = r.Body
	}
}

// compare adds the errors of a client's entities at the ticks of their states.
func (t *truths) compare(c *systems.Client, x *row) error {
	n := 0
	for e, r := range ecs.All[struct {
		At   scene.Place
		Turn scene.Turn
	}](c.World()) {
		id := c.World().NetID(e)
		tick, _ := c.StateTick(id)
		b, ok := t[tick%uint32(len(t))][id]
		if !ok {
			return fmt.Errorf("entity %d is not on the server at tick %d", id, tick)
		}
		n++
		x.Position.add(max(math.Abs(b.At.X-float64(r.At.X)), math.Abs(b.At.Y-float64(r.At.Y)), math.Abs(b.At.Z-float64(r.At.Z))))
		same, opposite := 0.0, 0.0 // q and −q are the same rotation
		for i, v := range b.Q {
			same, opposite = max(same, math.Abs(v-float64(r.Turn.Q[i]))), max(opposite, math.Abs(v+float64(r.Turn.Q[i])))
		}
		x.Rotation.add(min(same, opposite))
	}
	if all := len(t[0]); n != all {
		return fmt.Errorf("the client has %d of %d entities", n, all)
	}
	return nil
}

// counters are what server and client have sent so far.
type counters struct {
	down, datagrams, up float64 // with the headers of UDP and IP
	traffic             systems.Traffic
}

func read(c *systemstest.Crowd) (n counters) {
	s, k := c.Server.Stats(), c.Clients[0].Stats().Session
	n.datagrams = float64(s.DatagramsOut)
	n.down = float64(s.BytesOut) + datagramHeader*n.datagrams
	n.up = float64(k.BytesOut + datagramHeader*k.DatagramsOut)
	c.Server.Traffic(&n.traffic)
	return n
}

// parts returns the components of all bytes from the server, up to a scale.
func (n *counters) parts() []part {
	t := &n.traffic
	udp := datagramHeader * n.datagrams
	all := []part{
		{"UDP and IP", udp},
		{"encryption, session", n.down - udp - float64(t.Bytes)},
		{"snapshot headers", float64(t.Headers)},
		{"block heads", float64(t.Heads)},
		{"presence", t.Presence.Sent},
	}
	for _, c := range t.Components {
		for _, f := range c.Fields {
			all = append(all, part{c.Name + "." + f.Path, f.Sent})
		}
	}
	return all
}

// measure plays the scene on one link.
func measure(o options, rtt time.Duration, loss float64) (row, error) {
	x := row{RTT: rtt.Milliseconds(), Loss: loss}
	c, err := systemstest.Open(systemstest.Config{
		Protocol: func() *ecs.Protocol { return scene.Protocol(o.bodies) },
		Populate: func(w *ecs.World) { scene.Populate(w, o.bodies, o.seed) },
		Server:   systems.ServerConfig{TickRate: scene.TickRate, Snapshots: systems.Snapshots{SendRate: scene.SendRate}},
		Clients:  1, Link: systemstest.RoundTrip(rtt, 0, loss), FrameRate: -1, CountOnly: true, Seed: o.seed,
	})
	if err != nil {
		return x, err
	}
	var truth truths
	var compared uint32 // tick of the newest compared state
	var wrong error
	c.OnServerTick(func() { truth.record(c.Server.World(), c.Server.Tick()) })
	c.Run(warmup * time.Second)
	before := read(c)
	c.OnClientTick(func(k *systemstest.Client) {
		if tick := k.ServerTick(); tick != compared && wrong == nil {
			compared, wrong = tick, truth.compare(k.Client, &x)
		}
	})
	c.Run(time.Duration(o.seconds) * time.Second)
	after := read(c)
	rate := func(v float64) float64 { return v / float64(o.seconds) / 1000 }
	x.Down, x.Up, x.Datagrams = rate(after.down-before.down), rate(after.up-before.up), 1000*rate(after.datagrams-before.datagrams)
	x.Goodput = rate(float64(after.traffic.Bytes - before.traffic.Bytes))
	was := before.parts()
	for i, p := range after.parts() {
		x.Parts = append(x.Parts, part{p.Name, rate(p.Rate - was[i].Rate)})
	}
	switch {
	case c.Err() != nil:
		return x, c.Err()
	case wrong != nil:
		return x, wrong
	case compared == 0:
		return x, fmt.Errorf("the client received no state")
	case x.Position.Max > precision || x.Rotation.Max > turnPrecision:
		return x, fmt.Errorf("errors up to %v in positions and %v in rotations are beyond the precision", x.Position.Max, x.Rotation.Max)
	}
	return x, nil
}
