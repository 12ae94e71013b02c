package swarm

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Thin clients decode their snapshots and play like others. Any two of them decode the same send to the same state, on a bad
// link too.
func TestThinClientsAgree(t *testing.T) {
	t.Parallel()
	const clients, thin = 40, 8
	m := newMatch(t, systems.ServerConfig{Overload: systems.Overload{Off: true}}, Config{Clients: clients, Thin: thin, Ramp: 100, Input: walk()},
		netsys.Link{Latency: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02})
	m.until(t, "connect", m.swarm.Settled)
	m.ticks(t, 300)
	before := m.server.Stats()
	m.swarm.Measure(m.now)
	m.ticks(t, 600)
	m.swarm.Look(m.now)
	r, st := m.swarm.Report(), m.server.Stats()
	if r.Connected != clients || r.Different+r.Malformed != 0 || r.Renewals > thin {
		t.Errorf("%+v", r)
	}
	// 20 sends a second for 10 s, of 40 entities each, of which all but the first witness are compared; some get lost.
	if all := uint64(20 * 10 * clients * (thin - 1)); r.Compared < all*85/100 || r.Compared > all || r.Decoded < 20*10*thin*9/10 {
		t.Errorf("%d of %d entities compared, %d datagrams decoded", r.Compared, all, r.Decoded)
	}
	if consumed := st.Inputs.Consumed - before.Inputs.Consumed; consumed < clients*600*98/100 {
		t.Errorf("%d inputs consumed", consumed)
	}
	blind := 0
	for n := range clients {
		if !m.swarm.config.isThin(n) {
			blind++
		}
	}
	if blind != clients-thin {
		t.Errorf("%d are blind", blind)
	}
}

// The states that two clients decode from one send are compared. Sends that are too old are not compared.
func TestWitnesses(t *testing.T) {
	w := new(witnesses)
	saw := func(send uint32, sums ...uint64) [2]uint64 {
		x := &told{send: send}
		for i, sum := range sums {
			x.add(uint32(i+1), sum)
		}
		compared, different := w.compare(x)
		return [2]uint64{compared, different}
	}
	for i, c := range []struct{ got, want [2]uint64 }{
		{saw(100, 1, 2), [2]uint64{0, 0}},
		{saw(100, 1, 2), [2]uint64{2, 0}},
		{saw(100, 1, 3, 4), [2]uint64{2, 1}}, // the third is news
		{saw(100, 1, 2, 5), [2]uint64{3, 1}},
		{saw(100+witnessSends, 7), [2]uint64{0, 0}}, // takes its place
		{saw(100, 1), [2]uint64{0, 0}},
		{saw(100+witnessSends, 7), [2]uint64{1, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%d: %v, want %v", i, c.got, c.want)
		}
	}
}
