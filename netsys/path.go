package netsys

import (
	"encoding/binary"
	"net/netip"
	"time"
)

const (
	// pathTime is how long a client has to answer from its new address.
	pathTime = 3 * time.Second
	// pathInterval is between challenges. Each answers a packet that came from there, so that nobody can make the
	// server send to a third party more than they sent themselves, but for a few bytes.
	pathInterval = 100 * time.Millisecond
)

// path is an address at which a client seems to be now. Anybody on the way can make a packet come from
// an address of theirs; only who gets a challenge there and has the session's keys can answer it from there.
type path struct {
	to     netip.AddrPort
	value  uint64
	begun  time.Duration // by the carrier's clock, as sent
	sent   time.Duration
	proven bool
}

// answered takes an answer to a challenge.
func (p *path) answered(from netip.AddrPort, value uint64) {
	p.proven = p.proven || p.to.IsValid() && from == p.to && value == p.value
}

// answer sends a challenge back.
func (s *session) answer(now time.Time, value uint64) DropReason {
	if s.peer != nil {
		return DropUnexpected
	}
	b := binary.LittleEndian.AppendUint64(s.lane.buf[:headerSize], value)
	_, _ = s.send(now, kindAnswer, false, b)
	return DropNone
}

// moved deals with an authentic packet that came from another address than the client's.
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
	case !p.to.IsValid() || at-p.begun >= pathTime:
		*p = path{to: from, value: randomUint64(s.config.Random), begun: at, sent: at - pathInterval}
	}
	if p.to != from || at-p.sent < pathInterval {
		return
	}
	p.sent = at
	b := binary.LittleEndian.AppendUint64(s.carrier.buf[:headerSize], p.value)
	of.number(now, kindChallenge, false, b)
	_ = of.peer.SendTo(now, from, b)
}
