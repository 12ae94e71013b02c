package netsys

import (
	"fmt"
	"net/netip"
	"time"
)

// nodeQueue bounds the datagrams that wait for one node.
const nodeQueue = 1 << 16

// Network is a virtual network inside one process. A datagram sent at time t arrives at t, and none is lost; a [Conditioner]
// around a [Node] adds delay and loss. A Network uses no goroutine and no clock, so the same calls always have the same result.
// All nodes of a network belong to one goroutine.
type Network struct {
	nodes  map[netip.AddrPort]*Node
	port   uint16
	nobody uint64
}

// NewNetwork returns an empty network.
func NewNetwork() *Network {
	return &Network{nodes: make(map[netip.AddrPort]*Node), port: 49152}
}

// Node adds a node. The zero AddrPort means 127.0.0.1 and an automatic port. Port 0 means an automatic port at the given address.
// Automatic ports count up from 49152, so the same calls give the same addresses. Node panics if the address is in use.
func (n *Network) Node(addr netip.AddrPort) *Node {
	node := &Node{network: n, queue: newDelayQueue(nodeQueue, MaxDatagram+1)}
	node.addr = n.assign(addr, node)
	return node
}

// assign gives an address to a node and returns it: see [Network.Node].
func (n *Network) assign(addr netip.AddrPort, node *Node) netip.AddrPort {
	addr = unmap(addr)
	if !addr.Addr().IsValid() {
		addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), addr.Port())
	}
	if addr.Port() == 0 {
		for port := n.port; ; port++ {
			addr = netip.AddrPortFrom(addr.Addr(), max(port, 1024))
			if _, taken := n.nodes[addr]; !taken {
				n.port = port + 1
				break
			}
		}
	}
	if _, taken := n.nodes[addr]; taken {
		panic(fmt.Sprintf("netsys: Network: address %v is in use: close the node that has it, or pass the zero AddrPort", addr))
	}
	n.nodes[addr] = node
	return addr
}

// Unroutable returns the number of datagrams sent to addresses without a node. Their senders get no error, as on a real network.
func (n *Network) Unroutable() uint64 { return n.nobody }

// Node is a [Wire] at one address of a [Network].
type Node struct {
	network *Network
	addr    netip.AddrPort
	queue   delayQueue
	dropped uint64
	closed  bool
}

var _ Wire = (*Node)(nil)

// Poll implements [Wire]. It delivers datagrams in the order of their times, and those with equal times in the order of sending.
func (n *Node) Poll(now time.Time, deliver func(Datagram)) {
	for n.queue.ready(now) {
		p := n.queue.pop()
		deliver(Datagram{From: p.addr, At: p.due, Data: p.data})
		n.queue.recycle(p)
	}
}

// Send implements [Wire]. The datagram arrives at time now, which may be in the receiver's future. If 65,536 datagrams already
// wait for the receiver, the datagram is lost and counted there.
func (n *Node) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if n.closed {
		return ErrClosed
	}
	if len(b) > MaxDatagram {
		return ErrTooLarge
	}
	peer := n.network.nodes[unmap(to)]
	if peer == nil {
		n.network.nobody++
		return nil
	}
	if !peer.queue.push(now, n.addr, b) {
		peer.dropped++
	}
	return nil
}

// NextDue returns the time of the earliest waiting datagram. It returns false if there is none.
func (n *Node) NextDue() (time.Time, bool) { return n.queue.next() }

// Dropped returns the number of datagrams lost because too many waited for this node.
func (n *Node) Dropped() uint64 { return n.dropped }

// Rebind changes the node's address, as a router does that forgets a NAT mapping. Datagrams sent to the old address from now on
// are lost; those sent before still arrive. The new address is chosen as in [Network.Node], and returned. Rebind panics if the
// address is in use or the node is closed.
func (n *Node) Rebind(addr netip.AddrPort) netip.AddrPort {
	if n.closed {
		panic("netsys: Node.Rebind: the node is closed")
	}
	old := n.addr
	n.addr = n.network.assign(addr, n)
	delete(n.network.nodes, old)
	return n.addr
}

// virtual marks wires whose datagrams never leave the process.
func (n *Node) virtual() bool { return true }

// LocalAddr implements [Wire].
func (n *Node) LocalAddr() netip.AddrPort { return n.addr }

// Close implements [Wire]. The address becomes free for another node.
func (n *Node) Close() error {
	if !n.closed {
		n.closed = true
		n.queue = delayQueue{}
		delete(n.network.nodes, n.addr)
	}
	return nil
}

// isVirtual reports whether a wire is a [Node], conditioned or not. Only this process can reach a Node, so
// sessions over a Node need no secrets.
func isVirtual(w Wire) bool {
	v, ok := w.(interface{ virtual() bool })
	return ok && v.virtual()
}
