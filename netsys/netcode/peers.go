package netcode

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// never is the due time of an empty slot.
const never = time.Duration(1<<63 - 1)

// roster is the set of a server's peers.
type roster struct {
	slots    []*Peer
	due      []time.Duration // by slot: when Update must check the peer
	count    int
	byAddr   addressMap[int32] // value: slot
	byID     map[uint64]*Peer
	interval time.Duration // between packets of each peer
}

func newRoster(slots, packetsPerSecond int) roster {
	return roster{
		slots: make([]*Peer, slots), due: slices.Repeat([]time.Duration{never}, slots), byAddr: newAddressMap[int32](), byID: make(map[uint64]*Peer),
		interval: time.Second / time.Duration(packetsPerSecond),
	}
}

func (r *roster) full() bool { return r.count >= len(r.slots) }

// add gives a peer the first free slot.
func (r *roster) add(p *Peer) {
	p.slot = slices.Index(r.slots, nil)
	r.slots[p.slot], r.due[p.slot] = p, 0
	r.byAddr.put(p.addr, int32(p.slot))
	r.byID[p.id] = p
	r.count++
}

func (r *roster) remove(p *Peer) {
	r.slots[p.slot], r.due[p.slot] = nil, never
	r.byAddr.remove(p.addr)
	delete(r.byID, p.id)
	r.count--
}

// byAddress returns the peer at an address, or nil.
func (r *roster) byAddress(a netip.AddrPort) *Peer {
	if slot, ok := r.byAddr.get(a); ok {
		return r.slots[slot]
	}
	return nil
}

// addressMap is a map by address, for one lookup per packet. IPv4 addresses are converted to integers, which triples the
// speed of a lookup.
type addressMap[T any] struct {
	v4    map[uint64]T
	other map[netip.AddrPort]T
}

func newAddressMap[T any]() addressMap[T] {
	return addressMap[T]{v4: make(map[uint64]T), other: make(map[netip.AddrPort]T)}
}

func (m *addressMap[T]) get(a netip.AddrPort) (x T, ok bool) {
	if number, is := numberIPv4(a); is {
		x, ok = m.v4[number]
	} else {
		x, ok = m.other[a]
	}
	return x, ok
}

func (m *addressMap[T]) put(a netip.AddrPort, x T) {
	if number, ok := numberIPv4(a); ok {
		m.v4[number] = x
	} else {
		m.other[a] = x
	}
}

func (m *addressMap[T]) remove(a netip.AddrPort) {
	if number, ok := numberIPv4(a); ok {
		delete(m.v4, number)
	} else {
		delete(m.other, a)
	}
}

func (m *addressMap[T]) len() int { return len(m.v4) + len(m.other) }

func numberIPv4(a netip.AddrPort) (number uint64, ok bool) {
	if !a.Addr().Is4() {
		return 0, false
	}
	b := a.Addr().As4()
	return uint64(binary.LittleEndian.Uint32(b[:]))<<16 | uint64(a.Port()), true
}
