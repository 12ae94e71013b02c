package netcode

import (
	"errors"
	"net/netip"
	"testing"
	"time"
)

// An empty slot does not affect the clients in later slots: they get keep-alives, and they time out.
func TestSlotsBehindAnEmptyOne(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	var clients []*clientNode
	for i := range 3 {
		c := w.join(address(i), w.issue(w.config(uint64(i+1))))
		w.until("connected", func() bool { return c.State() == Connected && s.Len() == i+1 })
		clients = append(clients, c)
	}
	w.run(time.Second)
	clients[0].Disconnect(w.now)
	w.run(30 * time.Second)
	for i, c := range clients[1:] {
		if c.State() != Connected {
			t.Errorf("client %d is %v, half a minute after the one before it left", i+2, c.State())
		}
	}
	if s.Len() != 2 {
		t.Fatalf("%d clients", s.Len())
	}
	w.tap = func(d datagram) bool { return d.from != clients[2].addr }
	w.run(30 * time.Second)
	if s.Len() != 1 || !errors.Is(s.reason, ErrTimeout) {
		t.Errorf("%d clients, %v: one of two is silent", s.Len(), s.reason)
	}
}

// A client whose address changed is found by a datagram of which the sequence number is less than 1<<16 ahead of the
// newest, and by none further ahead.
func TestFindLooksSoFarAhead(t *testing.T) {
	for ahead, found := range map[uint64]bool{1: true, findAhead - 1: true, findAhead: false, 2 * findAhead: false} {
		m := newMover(t, ServerConfig{})
		m.run(time.Second)
		newest := m.p.window.most
		m.c.sequence = newest + ahead
		m.send("x")
		if p := m.find(there, m.last); (p == m.p) != found {
			t.Errorf("%d ahead: found %v, want %v", ahead, p != nil, found)
		}
	}
}

// Addresses are spread over all sets of the limiter, and each has a tag of its own.
func TestTagsAreSpread(t *testing.T) {
	l := newLimiter(10, 10, seeded(1))
	var count [limitSets]int
	const n = 1 << 18
	seen := make(map[uint64]bool, n)
	for i := range n {
		tag := l.tag(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
		count[tag%limitSets]++
		seen[tag] = true
	}
	for set, n1 := range count {
		if mean := n / limitSets; n1 < mean*3/4 || n1 > mean*5/4 {
			t.Errorf("%d addresses in set %d, %d in the mean", n1, set, mean)
		}
	}
	if len(seen) != n {
		t.Errorf("%d tags for %d addresses", len(seen), n)
	}
}
