package main

import (
	"net"
	"net/netip"

	"github.com/tactusgo/tactus/netsys/eventloop"
)

// kind is a kind of server.
type kind struct {
	name, about string
	// open runs in the server's process.
	open func() (server, error)
	// dial creates n clients of a running server.
	dial func(to netip.AddrPort, n int) ([]peer, error)
}

// kinds are the measured kinds of servers, in the order of their turns.
var kinds = []kind{
	{
		name:  "plain_udpconn",
		about: "net.UDPConn, a goroutine that answers every packet as it comes; no encryption",
		open: func() (server, error) {
			conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			if err != nil {
				return nil, err
			}
			return &answering{conn}, conn.SetReadBuffer(1 << 22)
		},
		dial: dialPlain,
	},
	{
		name:  "gnet_plain",
		about: "package eventloop (gnet, one wake-up a packet), polled and answered once a tick; no encryption",
		open: func() (server, error) {
			l, err := oneByOne.Listen(loopback)
			return &ticking{wire: l}, err
		},
		dial: dialPlain,
	},
	{
		name:  "gnet_secure",
		about: "the same as gnet_plain with a secure session of package netsys for each client",
		open:  func() (server, error) { return openSecure(oneByOne.Listen(loopback)) },
		dial:  dialSecure,
	},
	{
		name:  "gnet_coalesced_secure",
		about: "the same as gnet_secure with eventloop's default, which wakes up once for many packets",
		open:  func() (server, error) { return openSecure(eventloop.Listen(loopback)) },
		dial:  dialSecure,
	},
}

// oneByOne configures gnet to wake up for every packet.
var oneByOne = eventloop.ListenConfig{Coalesce: -1}

const loopback = "127.0.0.1:0"

// comparison is the ratio of two servers' figures.
type comparison struct{ of, with string }

var comparisons = []comparison{
	{"gnet_plain", "plain_udpconn"},
	{"gnet_secure", "gnet_plain"},
	{"gnet_coalesced_secure", "gnet_plain"},
	{"gnet_coalesced_secure", "plain_udpconn"},
}

func (c comparison) name() string { return c.of + "_vs_" + c.with }

// ratio returns the median of the ratios within each round. Other load on the machine changes less within a round than
// between rounds.
func (c comparison) ratio(results map[string]result) float64 {
	of, with := results[c.of].turns, results[c.with].turns
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i] / with[i]
	}
	return middle(ratios)
}
