package netsys_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

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

func TestMemory(t *testing.T) { netsystest.Run(t, overMemory) }

// In virtual time, the seed decides whether a burst loses all ten goodbyes of an end.
func TestMemoryConditioned(t *testing.T) {
	bursts := netsystest.Poor()
	bursts.Burst = 20 * time.Millisecond
	netsystest.Run(t, netsystest.Conditioned(bursts, overMemory))
}

func TestUDP(t *testing.T) {
	netsystest.RunUDP(t, func(addr string) (netsys.Wire, error) {
		u, err := netsys.ListenUDP(addr)
		if err != nil {
			return nil, err
		}
		return u, nil
	})
}
