package netcode

import (
	"net/netip"
	"time"
)

const (
	// findSilence is how long a peer must have been silent before a datagram from another address can be its own. Clients
	// that follow the standard are never silent for longer.
	findSilence = sendInterval
	// findAhead is the largest distance of the datagram's sequence number above the newest one of the peer.
	findAhead = 1 << 16
	// findTrials is the number of keys tried per datagram.
	findTrials = 8
	// findRate is the number of trials per second over all addresses, including the cost of searching.
	findRate = 20000
	// findSlots is the number of slots whose search costs as much as one trial.
	findSlots = 64
)

// Find searches for the sender of a datagram that [Server.Receive] dropped with [DropUnknownSender]: a client whose address
// has changed, for example behind NAT. It returns nil if no peer sent it. Otherwise the datagram was a new, authentic
// packet of the returned peer, and was processed as usual. The peer keeps its address, because an attacker on the path can
// forward a packet from another address. Verify with [Peer.SendTo] that the client is really there, then move the session
// with [Server.Rebind]. The standard does not define such a move.
//
// A datagram does not identify its sender. Find first tries the keys of the peer last found at this address; this is not
// limited, because it costs no more than a datagram from the peer's own address. Then it tries peers that were silent for
// 100 ms and whose newest sequence number is less than 1<<16 below the datagram's: at most 8 per call, in turn, so that a
// few consecutive datagrams try all. A trial costs as much as receiving a datagram, about 0.3 µs. A search counts as one
// trial plus one per 64 slots. Addresses with an earlier session, such as clients whose port changed, share 20,000 trials
// per second. All other addresses share another 20,000. Bursts last up to one second. Calls also count towards the
// address's [ServerConfig.RequestsPerSecond]. A call that finds no peer changes only these limits and the turn. Find
// returns nil for the address of another peer.
//
// If all of 200 clients change their addresses at once, Find finds them within two seconds.
func (s *Server) Find(now time.Time, from netip.AddrPort, datagram []byte, h ServerHandler) *Peer {
	from = unmap(from)
	head, drop := parseHeader(datagram, serverReceives)
	if drop != DropNone || head.kind == kindResponse || s.closed || s.peers.byAddress(from) != nil {
		return nil
	}
	if p, ok := s.search.strays.get(from); ok {
		switch body, drop := p.open(now, head, datagram); drop {
		case DropNone:
			p.handle(now, head.kind, body, h)
			return p
		case DropMalformed: // but authentic
			s.lane.drops.count(drop)
			return nil
		}
	}
	at, tag := s.clock.At(now), s.limits.tag(from.Addr())
	finds := s.search.finds.allowanceFor(s.limits, tag)
	const interval = time.Second / findRate
	if finds.Wait(at, interval, burstTime) > 0 || !s.limits.allow(at, tag) {
		return nil
	}
	finds.Use(at, interval*time.Duration(1+len(s.peers.slots)/findSlots))
	list, n := s.search.candidates(s.peers.slots, at, head.sequence)
	for _, p := range list[:n] {
		if finds.Take(at, interval, burstTime) > 0 {
			return nil
		}
		s.search.turn = p.slot + 1
		body, drop := p.open(now, head, datagram)
		switch drop {
		case DropNone:
			s.search.recordStray(p, from)
			p.handle(now, head.kind, body, h)
			return p
		case DropMalformed: // but authentic
			s.lane.drops.count(drop)
			return nil
		}
	}
	return nil
}

// search is the state of [Server.Find].
type search struct {
	strays addressMap[*Peer] // by the address where the peer was found
	finds  shared
	turn   int // slot where the next search begins
}

// recordStray records where a peer was found.
func (f *search) recordStray(p *Peer, from netip.AddrPort) {
	if other, ok := f.strays.get(from); ok {
		f.forgetStray(other)
	}
	f.forgetStray(p)
	p.elsewhere = from
	f.strays.put(from, p)
}

// forgetStray removes the record of where a peer was found.
func (f *search) forgetStray(p *Peer) {
	if p.elsewhere.IsValid() {
		f.strays.remove(p.elsewhere)
		p.elsewhere = netip.AddrPort{}
	}
}

// candidates returns the next n peers, by slot, whose keys Find tries on a datagram.
func (f *search) candidates(slots []*Peer, at time.Duration, sequence uint64) (list [findTrials]*Peer, n int) {
	for i := 0; i < len(slots) && n < findTrials; i++ {
		slot := f.turn + i
		if slot >= len(slots) {
			slot -= len(slots)
		}
		p := slots[slot]
		if p == nil {
			continue
		}
		ahead := sequence > p.window.most && sequence-p.window.most < findAhead
		if ahead && at-p.heard >= findSilence {
			list[n] = p
			n++
		}
	}
	return list, n
}

// Rebind moves a session to another address, found by [Server.Find] and verified by an answer to [Peer.SendTo]. It returns
// false and changes nothing if the session has ended or another peer has the address.
func (s *Server) Rebind(p *Peer, to netip.AddrPort) bool {
	to = unmap(to)
	if p.ended || p.server != s || s.peers.byAddress(to) != nil {
		return false
	}
	s.search.forgetStray(p)
	s.peers.byAddr.remove(p.addr)
	p.addr = to
	s.peers.byAddr.put(to, int32(p.slot))
	return true
}

// SendTo sends one payload of 1 to [MaxPayload] bytes to an address that is not yet the peer's, to verify that the client
// is there. Send no more bytes to such an address than arrived from it. The errors are as in [Peer.Send].
func (p *Peer) SendTo(now time.Time, to netip.AddrPort, payload []byte) error {
	if len(payload) < 1 || len(payload) > MaxPayload {
		return ErrPayloadSize
	}
	// A packet to another address does not keep the session alive at the peer's address.
	defer func(sent time.Duration) { p.sent = sent }(p.sent)
	return p.sendTo(now, unmap(to), kindPayload, payload)
}
