package netcode

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// request examines a request for a session, in the order of the standard, and challenges who sent it.
func (s *Server) request(now time.Time, from netip.AddrPort, b []byte) DropReason {
	if len(b) != requestSize {
		return DropSize
	}
	b = b[1:]
	if string(b[:len(version)]) != version {
		return DropVersion
	}
	b = b[len(version):]
	if binary.LittleEndian.Uint64(b) != s.config.ProtocolID {
		return DropProtocol
	}
	expire := binary.LittleEndian.Uint64(b[8:])
	if expire <= unixTime(now) {
		return DropExpired
	}
	if !s.limits.allow(s.nanos(now), from.Addr()) {
		return DropRate
	}
	nonce, sealed := b[16:16+nonceSize], b[16+nonceSize:]
	s.data = appendTokenData(s.data[:0], s.config.ProtocolID, expire)
	plain, err := s.tokens.Open(s.plain[:0], nonce, sealed, s.data)
	if err != nil {
		return DropForged
	}
	token := &s.private
	if !token.parse(plain) {
		return DropMalformed
	}
	mac := tokenMAC(sealed[privatePlain:])
	half, other := s.half.byMAC[mac], s.half.byAddr[from]
	switch {
	case !token.servers.containsAny(s.config.Addresses):
		return DropElsewhere
	case s.byAddr[from] != nil:
		return DropConnected
	case other != nil && other.mac != mac && now.Sub(other.since) < aliveTime:
		return DropConnected
	case s.byID[token.clientID] != nil:
		return DropClientID
	case s.burnt.has(mac), half != nil && half.addr != from:
		return DropTokenUsed
	case s.full():
		out := newDirection(s.config.ProtocolID, &token.serverToClient)
		s.sendGlobal(from, &out, kindDenied, nil)
		return DropFull
	}
	if half == nil {
		half = &halfOpen{
			addr:     from,
			mac:      mac,
			clientID: token.clientID,
			expire:   expire,
			timeout:  max(0, time.Duration(token.timeout)*time.Second),
			first:    s.challenges.next,
			since:    now,
			userData: token.userData,
			in:       newDirection(s.config.ProtocolID, &token.clientToServer),
			out:      newDirection(s.config.ProtocolID, &token.serverToClient),
		}
		if !s.half.add(half) {
			return DropNoRoom
		}
	} else {
		s.half.refresh(half, now)
	}
	s.body = s.challenges.append(s.body[:0], half.clientID, &half.userData)
	s.sendGlobal(from, &half.out, kindChallenge, s.body)
	return DropNone
}

// response examines the answer to a challenge and gives the client a slot.
func (s *Server) response(now time.Time, half *halfOpen, head header, b []byte, h ServerHandler) DropReason {
	if !s.limits.allow(s.nanos(now), half.addr.Addr()) {
		return DropRate
	}
	body, ok := half.in.open(s.plain[:0], head, b)
	if !ok {
		return DropForged
	}
	if !bodyFits(head.kind, len(body)) {
		return DropMalformed
	}
	sequence, clientID, ok := s.challenges.open(body)
	switch {
	case !ok, clientID != half.clientID, sequence < half.first:
		return DropChallenge
	case s.byID[clientID] != nil:
		return DropClientID
	case half.expire <= unixTime(now):
		return DropExpired
	case s.full():
		s.sendGlobal(half.addr, &half.out, kindDenied, nil)
		return DropFull
	case !s.burnt.add(half.mac, half.expire):
		return DropNoRoom
	}
	s.half.remove(half)
	p := &Peer{
		server:   s,
		slot:     slices.Index(s.peers, nil),
		id:       half.clientID,
		addr:     half.addr,
		timeout:  half.timeout,
		userData: half.userData,
		in:       half.in,
		out:      half.out,
		sequence: firstSequence(half.expire, now),
		heard:    now,
	}
	s.peers[p.slot] = p
	s.byAddr[p.addr] = p
	s.byID[p.id] = p
	s.count++
	_ = p.keepAlive(now)
	h.Connected(now, p)
	return DropNone
}

// sendGlobal sends outside of a session, with the server's own sequence.
func (s *Server) sendGlobal(to netip.AddrPort, out *direction, kind uint8, body []byte) {
	s.packet = out.appendPacket(s.packet[:0], kind, s.global, body)
	s.global++
	_ = s.out(to, s.packet)
}

// firstSequence is where the sequence of a session begins: at the number of milliseconds that have passed of the
// last 1<<22 of its token. The server forgets when it is restarted that a token was used, and a client may have
// had a slot, without knowing, on another server of its token; a later session then begins above all that an
// earlier one sent with the same key.
func firstSequence(expire uint64, now time.Time) uint64 {
	const span = 1 << 22
	left := min(expire, 1<<53)*1000 - uint64(max(now.UnixMilli(), 0))
	return span - min(left, span)
}
