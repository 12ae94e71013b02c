package netsys_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

// poor is a link on which everything that can happen to a datagram happens.
var poor = netsys.Link{
	Latency: 15 * time.Millisecond, Jitter: 12 * time.Millisecond,
	Loss: 0.05, Burst: 20 * time.Millisecond, Duplicate: 0.1,
}

// scattered is poor without bursts. An end is told ten times over at one instant, which a burst may lose as a whole;
// in virtual time the seed says whether it does, in real time nothing does.
var scattered = netsys.Link{Latency: poor.Latency, Jitter: poor.Jitter, Loss: poor.Loss, Duplicate: poor.Duplicate}

// underConditioner puts a conditioner on the client's side of a setup.
func underConditioner(link netsys.Link, open func(t testing.TB) netsystest.Setup) func(t testing.TB) netsystest.Setup {
	return func(t testing.TB) netsystest.Setup {
		setup := open(t)
		dial := setup.Dial
		setup.Dial = func(t testing.TB) (netsys.Wire, netip.AddrPort) {
			wire, server := dial(t)
			c, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: 7, In: link, Out: link})
			if err != nil {
				t.Fatal(err)
			}
			return c, server
		}
		return setup
	}
}

func overMemory(t testing.TB) netsystest.Setup {
	network := netsys.NewNetwork()
	server := network.Node(netip.AddrPort{})
	return netsystest.Setup{
		Clock:  netsystest.VirtualClock(5 * time.Millisecond),
		Server: server,
		Dial: func(testing.TB) (netsys.Wire, netip.AddrPort) {
			return network.Node(netip.AddrPort{}), server.LocalAddr()
		},
	}
}

func overUDP(t testing.TB) netsystest.Setup {
	server, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return netsystest.Setup{
		Server: server,
		Dial: func(t testing.TB) (netsys.Wire, netip.AddrPort) {
			client, err := netsys.DialUDP(t.Context(), server.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			return client, client.RemoteAddr()
		},
	}
}

func TestMemory(t *testing.T)            { netsystest.Run(t, overMemory) }
func TestMemoryConditioned(t *testing.T) { netsystest.Run(t, underConditioner(poor, overMemory)) }

func TestUDP(t *testing.T) {
	t.Parallel()
	netsystest.Run(t, overUDP)
}

func TestUDPConditioned(t *testing.T) {
	t.Parallel()
	netsystest.Run(t, underConditioner(scattered, overUDP))
}
