package netcode

import (
	"net/netip"
	"testing"
	"time"
)

// Any number of strangers with one request each does not renew the allowance of a sender that has used it up: the table keeps
// those with the least allowance longest.
func TestStrangersRenewNoAllowance(t *testing.T) {
	w := newWorld(t, ServerConfig{RequestsPerSecond: 20, TokensPerSecond: 1 << 20})
	s := w.servers[0]
	b := request(w.issue(w.config(1)))
	b[requestSize-1]++
	send := func(from netip.Addr) DropReason { return s.Receive(w.now, netip.AddrPortFrom(from, 1), b, s) }
	flooder := netip.MustParseAddr(mallory[:12])
	for send(flooder) != DropRate {
	}
	for i := range 20_000 {
		if drop := send(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})); drop == DropRate {
			t.Fatalf("stranger %d has no allowance", i)
		}
	}
	if drop := send(flooder); drop != DropRate {
		t.Errorf("%v: 20,000 strangers gave the flooder another allowance", drop)
	}
}

// A repeated request restarts the time of its handshake. A silent handshake that began later ends before it.
func TestHandshakesEndByTheLastRequest(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxHalfOpen: 2})
	s := w.servers[0]
	again, silent := request(w.issue(w.config(1))), request(w.issue(w.config(2)))
	w.expect("10.0.0.1:1", again, DropNone)
	w.expect("10.0.0.2:1", silent, DropNone)
	wait := func(d time.Duration) {
		w.now = w.now.Add(d)
		s.Update(w.now, s)
	}
	wait(halfOpenTime - time.Second)
	w.expect("10.0.0.1:1", again, DropNone)
	w.expect("10.0.0.3:1", request(w.issue(w.config(3))), DropNoRoom)
	wait(time.Second)
	w.expect("10.0.0.3:1", request(w.issue(w.config(3))), DropNone) // where the silent one was
	w.expect("10.0.0.9:1", again, DropTokenUsed)                    // the other handshake continues
	wait(halfOpenTime - time.Second)
	w.expect("10.0.0.4:1", request(w.issue(w.config(4))), DropNone)
	if n := s.Drops()[DropHalfOpen]; n != 2 {
		t.Errorf("%d handshakes ended, not 2", n)
	}
}
