package swarm

import (
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// Which clients play under which model; the others say so.
func TestModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		preset      policy.Model
		blind, thin bool
	}{
		{policy.LocalSync{}, true, true},
		{policy.Buffered{}, true, true},
		{policy.CorrectOnMismatch{}, false, true},
		{policy.ServerRewind{}, false, true},
		{policy.Rollback{}, false, false},
		{policy.Lockstep{}, false, false},
	} {
		const clients = 6
		config := systems.ServerConfig{Model: c.preset}
		if policy.Is[policy.Buffered](c.preset) {
			config.WakeEvery = 3
		}
		m := newMatch(t, config, Config{Clients: clients, Thin: clients / 2, Ramp: 100, Input: walk()}, netsys.Link{Latency: 10 * time.Millisecond})
		m.until(t, "connect", func() bool { return m.swarm.Settled() && m.server.Tick() > 200 })
		before := m.server.Stats().Inputs.Consumed
		m.ticks(t, 300)
		m.swarm.Look(m.now)
		r, want := m.swarm.Report(), 0
		for _, plays := range []bool{c.blind, c.thin} {
			if plays {
				want += clients / 2
			}
		}
		if r.Connected != want || r.Malformed+r.Different != 0 {
			t.Errorf("%v: %d clients play, want %d: %+v", c.preset, r.Connected, want, r)
		}
		if consumed := m.server.Stats().Inputs.Consumed - before; consumed < uint64(want*300*95/100) {
			t.Errorf("%v: %d inputs of %d clients consumed in 300 ticks", c.preset, consumed, want)
		}
		if why := strings.Join(sorted(r.Reasons), "; "); (why != "") != (want < clients) || !c.blind && !strings.Contains(why, "make all clients thin") && c.thin {
			t.Errorf("%v: %q", c.preset, why)
		}
	}
}

// Clients are spread evenly over a tick, whenever they come in.
func TestClientsAreSpread(t *testing.T) {
	const clients, rate = 100, 50
	s := &shard{config: &Config{Clients: clients}, start: time.Unix(1000, 0)}
	step := time.Second / rate
	var all [clients]bool
	for n := range clients {
		now := s.start.Add(time.Duration(n*n) * 777 * time.Microsecond)
		at := s.phase(now, n, rate)
		if at.Before(now) || !at.Before(now.Add(step)) && now.After(s.start) {
			t.Errorf("client %d: due %v after it came in, a tick is %v", n, at.Sub(now), step)
		}
		all[at.Sub(s.start)%step*clients/step] = true
	}
	for i, there := range all {
		if !there {
			t.Errorf("nobody is in part %d of %d of the tick", i, clients)
		}
	}
}
