package main

import (
	"net"
	"net/netip"

	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

// kind is one way to serve.
type kind struct {
	name, about string
	// open is called in the server's process.
	open func() (server, error)
	// dial makes n clients of a server that is up.
	dial func(to netip.AddrPort, n int) ([]peer, error)
}

// kinds are what is measured, in the order of the turns. The first is what the others are compared with.
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
		about: "package eventloop (gnet), polled and answered once a tick; no encryption",
		open: func() (server, error) {
			l, err := eventloop.Listen(loopback)
			return &ticking{wire: l}, err
		},
		dial: dialPlain,
	},
	{
		name:  "batch_plain",
		about: "package batch (recvmmsg and sendmmsg), polled and answered once a tick; no encryption",
		open: func() (server, error) {
			l, err := batch.Listen(loopback)
			return &ticking{wire: l}, err
		},
		dial: dialPlain,
	},
}

const loopback = "127.0.0.1:0"

// comparison is one server's figure divided by another's.
type comparison struct{ of, with string }

var comparisons = []comparison{
	{"gnet_plain", "plain_udpconn"},
	{"batch_plain", "plain_udpconn"},
}

func (c comparison) name() string { return c.of + "_vs_" + c.with }

func (c comparison) ratio(results map[string]result) float64 {
	return results[c.of].micros / results[c.with].micros
}
