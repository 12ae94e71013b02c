package netsys

import (
	"fmt"
	"net/netip"
	"time"
)

// nodeQueue bounds what waits for one node, in datagrams.
const nodeQueue = 1 << 16

// Network is a virtual network inside one process. What is sent at t arrives at t: no loss, no delay; a
// [Conditioner] around a [Node] adds both. There is no goroutine and no clock in it, so everything that
// happens is a function of the calls made; all nodes of a network belong to one goroutine.
type Network struct {
	nodes  map[netip.AddrPort]*Node
	port   uint16
	nobody uint64
}

// NewNetwork returns an empty network.
func NewNetwork() *Network {
	return &Network{nodes: make(map[netip.AddrPort]*Node), port: 49152}
}

// Node adds a node with an address of its own. The zero AddrPort means 127.0.0.1 and an automatic port, port
// 0 means an automatic port at the given address; automatic ports count up from 49152, so the same calls
// give the same addresses. Node panics when the address is taken: in a virtual network that is a mistake in
// the test.
func (n *Network) Node(addr netip.AddrPort) *Node {
	node := &Node{network: n, queue: newDelayQueue(nodeQueue, MaxDatagram+1)}
	node.addr = n.claim(addr, node)
	return node
}

// claim gives an address to a node and returns it, see [Network.Node].
func (n *Network) claim(addr netip.AddrPort, node *Node) netip.AddrPort {
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
		panic(fmt.Sprintf("netsys: Network: %v is taken; close the node that has it, or pass the zero AddrPort", addr))
	}
	n.nodes[addr] = node
	return addr
}

// Unroutable is the number of datagrams sent to addresses that no node had. Senders are not told, as on a
// real network.
func (n *Network) Unroutable() uint64 { return n.nobody }

// Node is one address of a [Network]; it is a [Wire].
type Node struct {
	network *Network
	addr    netip.AddrPort
	queue   delayQueue
	dropped uint64
	closed  bool
}

var _ Wire = (*Node)(nil)

// Poll implements [Wire]. Datagrams come in the order of their times, equal times in the order of sending.
func (n *Node) Poll(now time.Time, deliver func(Datagram)) {
	for n.queue.ready(now) {
		p := n.queue.pop()
		deliver(Datagram{From: p.addr, At: p.due, Data: p.data})
		n.queue.recycle(p)
	}
}

// Send implements [Wire]: the datagram arrives at time now, which may lie in the receiver's future. A
// datagram for a node where 65,536 wait already is lost and counted there.
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

// NextDue is the time of the earliest datagram that waits here, false when none does.
func (n *Node) NextDue() (time.Time, bool) { return n.queue.next() }

// Dropped is the number of datagrams lost because too many waited here.
func (n *Node) Dropped() uint64 { return n.dropped }

// Rebind gives the node another address in mid-life, as a router does that forgets a mapping: what is sent to
// the old address from then on goes nowhere, what is on its way already still arrives. The address is chosen
// as by [Network.Node], and returned. Rebind panics when it is taken or the node is closed.
func (n *Node) Rebind(addr netip.AddrPort) netip.AddrPort {
	if n.closed {
		panic("netsys: Node.Rebind after Close; a closed node has no address to change")
	}
	old := n.addr
	n.addr = n.network.claim(addr, n)
	delete(n.network.nodes, old)
	return n.addr
}

// virtual marks wires on which nothing leaves the process.
func (n *Node) virtual() bool { return true }

// LocalAddr implements [Wire].
func (n *Node) LocalAddr() netip.AddrPort { return n.addr }

// Close implements [Wire]. The address can be given to another node.
func (n *Node) Close() error {
	if !n.closed {
		n.closed = true
		n.queue = delayQueue{}
		delete(n.network.nodes, n.addr)
	}
	return nil
}

// isVirtual reports whether a wire is one of a [Network], conditioned or not: nobody outside the process can
// reach it, so it needs no secrets.
func isVirtual(w Wire) bool {
	v, ok := w.(interface{ virtual() bool })
	return ok && v.virtual()
}
