package netcode

import (
	"net/netip"
	"time"
)

const (
	// findSilence is how long a peer was not heard before a datagram from elsewhere can be its own: the longest silence
	// of a client that follows the standard.
	findSilence = sendInterval
	// findAhead is how far ahead of the newest the sequence number of such a datagram can be.
	findAhead = 1 << 16
	// findTrials is with how many keys a datagram is tried.
	findTrials = 8
	// findRate is how many trials there are a second, and looks for what they cost, over all addresses.
	findRate = 20000
	// findSlots is how many slots a look passes in the time of a trial.
	findSlots = 64
)

// Find looks for the peer that sent a datagram which [Server.Receive] dropped with [DropUnknownSender]: a client whose
// address has changed, as addresses behind NAT do. It returns nil when there is none. Otherwise the datagram was a
// new and authentic packet of that session; it counts as received and was handled like any other. The peer stays at
// its address: somebody on the path can make a packet come from an address of theirs, so ask whether the client is
// really there by [Peer.SendTo], and then let the session go on there by [Server.Rebind]. The standard knows no
// such change.
//
// A datagram does not say whose it is. It is tried with the keys of the peer that was found at its address before;
// that is not limited, as it costs no more than datagrams from the peer's own address. Else it is tried with those of
// peers that were silent for 100 ms and whose newest sequence number is less than 1<<16 below its own: of 8 peers at
// most, which take turns, so that a few datagrams in a row try all. A trial costs as much as receiving the datagram,
// some 0.3 µs, and a look at the peers counts as one trial, and one more for every 64 slots. Of both together there
// are at most 20,000 a second for addresses that had a session, as those have that change only their port, and 20,000
// for all others, with bursts of one second's worth; and calls for one address count in its
// [ServerConfig.RequestsPerSecond]. A call that finds nobody changes nothing but these allowances and the turns. Nobody
// is looked for at the address of another peer.
//
// When all of 200 clients change their addresses at once, they are found again within two seconds.
func (s *Server) Find(now time.Time, from netip.AddrPort, datagram []byte, h ServerHandler) *Peer {
	from = unmap(from)
	head, drop := parseHeader(datagram, serverReceives)
	if drop != DropNone || head.kind == kindResponse || s.closed || s.peers.at(from) != nil {
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
	finds := s.search.finds.of(s.limits, tag)
	if !finds.left(at, burstTime) || !s.limits.allow(at, tag) {
		return nil
	}
	const interval = time.Second / findRate
	finds.use(at, interval*time.Duration(1+len(s.peers.slots)/findSlots))
	list, n := s.search.candidates(s.peers.slots, at, head.sequence)
	for _, p := range list[:n] {
		if !finds.left(at, burstTime) {
			return nil
		}
		finds.use(at, interval)
		s.search.turn = p.slot + 1
		body, drop := p.open(now, head, datagram)
		switch drop {
		case DropNone:
			s.search.found(p, from)
			p.handle(now, head.kind, body, h)
			return p
		case DropMalformed: // but authentic
			s.lane.drops.count(drop)
			return nil
		}
	}
	return nil
}

// search is what [Server.Find] remembers.
type search struct {
	strays addressMap[*Peer] // by where they were found
	finds  shared
	turn   int // slot with which it begins
}

// found notes where a peer was found.
func (f *search) found(p *Peer, from netip.AddrPort) {
	if other, ok := f.strays.get(from); ok {
		f.settle(other)
	}
	f.settle(p)
	p.elsewhere = from
	f.strays.put(from, p)
}

// settle forgets where a peer was found.
func (f *search) settle(p *Peer) {
	if p.elsewhere.IsValid() {
		f.strays.remove(p.elsewhere)
		p.elsewhere = netip.AddrPort{}
	}
}

// candidates are the n peers with which Find tries a datagram: those whose turn it is, by slot.
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

// Rebind lets a session go on at another address, as found by [Server.Find] and proven by an answer to what
// [Peer.SendTo] sent there. It reports false, and changes nothing, when the session has ended or the address is that
// of another peer.
func (s *Server) Rebind(p *Peer, to netip.AddrPort) bool {
	to = unmap(to)
	if p.ended || p.server != s || s.peers.at(to) != nil {
		return false
	}
	s.search.settle(p)
	s.peers.byAddr.remove(p.addr)
	p.addr = to
	s.peers.byAddr.put(to, int32(p.slot))
	return true
}

// SendTo sends one payload of 1 to [MaxPayload] bytes to an address that is not, or not yet, the peer's, to find out
// whether the client is there. Send no more to such an address than came from it. Errors are those of [Peer.Send].
func (p *Peer) SendTo(now time.Time, to netip.AddrPort, payload []byte) error {
	if len(payload) < 1 || len(payload) > MaxPayload {
		return ErrPayloadSize
	}
	// What goes elsewhere keeps nothing alive at the peer's address.
	defer func(sent time.Duration) { p.sent = sent }(p.sent)
	return p.sendTo(now, unmap(to), kindPayload, payload)
}
