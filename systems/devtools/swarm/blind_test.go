package swarm

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// The server treats blind clients as players: in nearly every tick it consumes an input of each, which one datagram brings.
// Blind clients acknowledge its snapshots, so the server sends them small deltas.
func TestBlindClientsPlay(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]netsys.Link{
		"clean": {Latency: 20 * time.Millisecond},
		"bad":   {Latency: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.02},
	} {
		const clients = 100
		m := newMatch(t, systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 20}}, Config{Clients: clients, Ramp: 100, Input: walk()}, link)
		m.until(t, "connect", m.swarm.Settled)
		m.ticks(t, 240) // buffers fill
		before := m.server.Stats()
		m.swarm.Measure(m.now)
		m.ticks(t, 240)
		m.swarm.Look(m.now)
		r, st := m.swarm.Report(), m.server.Stats()
		if r.Connected != clients || r.Refused+r.Lost != 0 {
			t.Fatalf("%s: %d in, %d refused, %d lost: %v", name, r.Connected, r.Refused, r.Lost, r.Reasons)
		}
		consumed, due := st.Inputs.Consumed-before.Inputs.Consumed, clients*(st.Ticks-before.Ticks)
		if consumed*100 < 99*due || st.Inputs.Rejected+st.MalformedMessages != 0 {
			t.Errorf("%s: %d inputs consumed of %d: %+v; %d messages malformed", name, consumed, due, st.Inputs, st.MalformedMessages)
		}
		// An input that is as foreseen is 2 bytes with its base, which has to be acknowledged; without one it is 9 and more.
		if r.BytesUpPerS > 2150 {
			t.Errorf("%s: %.0f bytes up a client and second", name, r.BytesUpPerS)
		}
		if d := r.DatagramsUpPerS; d < 59 || d > 61.5 {
			t.Errorf("%s: %.1f datagrams a client and second, for 60 inputs", name, d)
		}
		if r.UpdatesPerS < 18 || r.UpdatesPerS > 20.1 || r.BytesPerUpdate > 150 {
			t.Errorf("%s: %.1f updates a client and second, of %.0f bytes: a whole state of 100 pawns is 600", name, r.UpdatesPerS, r.BytesPerUpdate)
		}
		// Every input is told of, after the way there, the buffer, the way back and up to 50 ms between sends.
		if trip := 2 * link.Latency.Seconds() * 1000; r.Latency.Many < consumed*95/100 || r.Latency.P50 < trip || r.Latency.P50 > trip+150 ||
			r.RoundTrip.P50 < trip*0.7 || r.RoundTrip.P50 > trip+20 || r.RoundTrip.Many < 3*clients {
			t.Errorf("%s: input to snapshot %+v, round trip %+v", name, r.Latency, r.RoundTrip)
		}
		if r.Distinct == 0 || r.Distinct*2 > r.Blocks || r.Malformed != 0 {
			t.Errorf("%s: %d of %d blocks are distinct, %d messages malformed: what clients share is known by its hash", name, r.Distinct, r.Blocks, r.Malformed)
		}
	}
}

// When the way becomes shorter, inputs wait longer than they need: the server asks for a slower clock, and gets it.
func TestBlindClientsFollowTheClock(t *testing.T) {
	t.Parallel()
	const clients = 20
	m := newMatch(t, systems.ServerConfig{}, Config{Clients: clients, Ramp: 100, Input: walk()}, netsys.Link{Latency: 150 * time.Millisecond})
	m.until(t, "connect", m.swarm.Settled)
	m.ticks(t, 300)
	waiting := func() (n int) {
		for c := range m.server.Clients {
			n += c.Waiting
		}
		return n
	}
	for _, w := range m.swarm.shards[0].carrier.(*memory).wires {
		short := netsys.Link{Latency: 5 * time.Millisecond}
		if err := w.(*netsys.Conditioner).SetLinks(short, short); err != nil {
			t.Fatal(err)
		}
	}
	m.ticks(t, 60)
	before := waiting()
	m.ticks(t, 1800)
	after, depth := waiting(), 0
	for _, c := range m.swarm.shards[0].clients {
		depth += c.(*blind).playing.sender.Depth
	}
	if before < 8*clients || after > 4*clients || depth > 4*clients || depth == 0 {
		t.Errorf("%d inputs of %d clients waited, and %d half a minute later; clients heard of %d", before, clients, after, depth)
	}
}
