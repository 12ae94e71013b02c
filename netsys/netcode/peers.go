package netcode

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// never is when there is nothing to do.
const never = time.Duration(1<<63 - 1)

// roster are the peers of a server.
type roster struct {
	slots    []*Peer
	due      []time.Duration // by slot: when Update has to look at the peer
	count    int
	byAddr   peerMap
	byID     map[uint64]*Peer
	interval time.Duration // between packets of each
}

func newRoster(slots, packetsPerSecond int) roster {
	return roster{
		slots: make([]*Peer, slots), due: slices.Repeat([]time.Duration{never}, slots), byAddr: newPeerMap(), byID: make(map[uint64]*Peer),
		interval: time.Second / time.Duration(packetsPerSecond),
	}
}

func (r *roster) full() bool { return r.count >= len(r.slots) }

// add gives a peer the first slot that is free.
func (r *roster) add(p *Peer) {
	p.slot = slices.Index(r.slots, nil)
	r.slots[p.slot], r.due[p.slot] = p, 0
	r.byAddr.put(p.addr, p)
	r.byID[p.id] = p
	r.count++
}

func (r *roster) remove(p *Peer) {
	r.slots[p.slot], r.due[p.slot] = nil, never
	r.byAddr.remove(p.addr)
	delete(r.byID, p.id)
	r.count--
}

// peerMap finds peers by address, once for every packet: by a number where the address is IPv4, which a map finds
// in a third of the time.
type peerMap struct {
	v4    map[uint64]*Peer
	other map[netip.AddrPort]*Peer
}

func newPeerMap() peerMap {
	return peerMap{v4: make(map[uint64]*Peer), other: make(map[netip.AddrPort]*Peer)}
}

func (m *peerMap) get(a netip.AddrPort) *Peer {
	if number, ok := numberIPv4(a); ok {
		return m.v4[number]
	}
	return m.other[a]
}

func (m *peerMap) put(a netip.AddrPort, p *Peer) {
	if number, ok := numberIPv4(a); ok {
		m.v4[number] = p
	} else {
		m.other[a] = p
	}
}

func (m *peerMap) remove(a netip.AddrPort) {
	if number, ok := numberIPv4(a); ok {
		delete(m.v4, number)
	} else {
		delete(m.other, a)
	}
}

func (m *peerMap) len() int { return len(m.v4) + len(m.other) }

func numberIPv4(a netip.AddrPort) (number uint64, ok bool) {
	if !a.Addr().Is4() {
		return 0, false
	}
	b := a.Addr().As4()
	return uint64(binary.LittleEndian.Uint32(b[:]))<<16 | uint64(a.Port()), true
}
