package netsys

import (
	"encoding/binary"
	"net/netip"
	"time"
)

const (
	// pathTimeout is the time that a client has to answer a challenge from its new address.
	pathTimeout = 3 * time.Second
	// challengeInterval is the time between challenges. The server sends a challenge only in answer to a packet from that
	// address, so an attacker cannot make the server send much more to a third party than the attacker sends.
	challengeInterval = 100 * time.Millisecond
)

// path is an address to which a client seems to have moved. Anybody on the network path can forward a packet from another address. Only
// a peer that receives the challenge there and has the session's keys can answer it.
type path struct {
	to     netip.AddrPort
	value  uint64
	begun  time.Duration // first packet from there, by the carrier's clock
	sent   time.Duration // latest challenge, by the carrier's clock
	proven bool
}

// answered checks an answer to a challenge.
func (p *path) answered(from netip.AddrPort, value uint64) {
	p.proven = p.proven || p.to.IsValid() && from == p.to && value == p.value
}

// answer sends the value of a challenge back.
func (s *session) answer(now time.Time, value uint64) DropReason {
	if s.peer != nil {
		return DropUnexpected
	}
	b := binary.LittleEndian.AppendUint64(s.lane.buf[:headerSize], value)
	_, _ = s.send(now, kindAnswer, false, b)
	return DropNone
}

// moved processes an authentic packet from an address that is not the client's.
func (s *Server) moved(of *session, from netip.AddrPort) {
	now, p := s.carrier.now, &of.details.path
	at := s.carrier.clock.At(now)
	switch {
	case of.state != connected:
		return
	case p.proven:
		if s.netcode.Rebind(of.peer, from) {
			of.details.remote = from
			of.details.moves++
		}
		*p = path{}
		return
	case !p.to.IsValid() || at-p.begun >= pathTimeout:
		*p = path{to: from, value: randomUint64(s.config.Random), begun: at, sent: at - challengeInterval}
	}
	if p.to != from || at-p.sent < challengeInterval {
		return
	}
	p.sent = at
	b := binary.LittleEndian.AppendUint64(s.carrier.buf[:headerSize], p.value)
	of.number(now, kindChallenge, false, b)
	_ = of.peer.SendTo(now, from, b)
}
