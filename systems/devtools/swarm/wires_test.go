package swarm

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

var loopback = netip.MustParseAddrPort("127.0.0.1:7777")

// On the caller's wires a swarm plays in virtual time, with the same result each time.
func TestWire(t *testing.T) {
	play := func(link netsys.Link) (hash uint64, r *Report) {
		now, network := time.Unix(1000, 0), netsys.NewNetwork()
		server, err := systems.NewServer(network.Node(loopback), plaza(), systems.ServerConfig{Start: now, Session: systems.ServerSession{Random: netsys.SeededRandom(1)}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(t.Context(), Config{
			Protocol: plaza, Addr: loopback.String(), Clients: 5, Thin: 1, Threads: 2, Input: walk(),
			Client: func(n int, c *systems.ClientConfig) { c.Session.Random = netsys.SeededRandom(uint64(n) + 2) },
			Wire: func(n int) (netsys.Wire, error) {
				node := network.Node(netip.AddrPortFrom(loopback.Addr(), uint16(1000+n)))
				if link == (netsys.Link{}) {
					return node, nil
				}
				return netsys.Condition(node, netsys.ConditionerConfig{Seed: uint64(n), In: link, Out: link})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for end := now.Add(5 * time.Second); now.Before(end); now = now.Add(time.Millisecond) {
			server.Advance(now)
			s.Step(now)
		}
		s.Look(now)
		return server.World().Hash(), s.Report()
	}
	for _, link := range []netsys.Link{{}, {Latency: 20 * time.Millisecond, Jitter: 5 * time.Millisecond}} {
		hash, r := play(link)
		if again, _ := play(link); r.Connected != 5 || r.Blocks == 0 || r.Decoded == 0 || again != hash {
			t.Errorf("%+v; hashes %x and %x", r, hash, again)
		}
	}
	_, err := New(t.Context(), Config{Protocol: plaza, Addr: "localhost:1", Wire: func(int) (netsys.Wire, error) { return nil, nil }})
	if !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}
