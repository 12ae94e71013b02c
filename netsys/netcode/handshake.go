package netcode

import (
	"crypto/cipher"
	"encoding/binary"
	"net/netip"
	"time"
)

// request checks a request in the order of the standard, except that known tokens are recognized first, and sends a
// challenge.
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
	at, tag := s.clock.At(now), s.limits.tag(from.Addr())
	if !s.limits.allow(at, tag) {
		return DropRate
	}
	// A known token is recognized by its last bytes, without decryption. An attacker who sends these bytes after other
	// contents achieves no more than by repeating the whole request.
	nonce, sealed := b[16:16+nonceSize], b[16+nonceSize:]
	mac := tokenMAC(sealed[privatePlain:])
	half := s.half.byMAC[mac]
	again := half != nil && half.addr == from && half.expire == expire
	switch {
	case again:
		if drop := s.admissible(now, from, mac, half.clientID, expire, &half.out); drop != DropNone {
			return drop
		}
		s.half.refresh(half, at)
	case half != nil || s.usedTokens.has(mac):
		switch p := s.peers.byAddress(from); {
		case p == nil:
			return DropTokenUsed
		case p.mac != mac:
			return DropConnected
		}
		return DropRepeated
	case !s.limits.decrypt(at, tag):
		return DropBusy
	default:
		plain, ok := s.tokens.open(s.lane.plain[:0], s.config.ProtocolID, expire, nonce, sealed)
		if !ok {
			return DropKey
		}
		var drop DropReason
		if half, drop = s.beginHandshake(now, from, mac, expire, plain); drop != DropNone {
			return drop
		}
	}
	s.lane.body = s.challenges.append(s.lane.body[:0], half.clientID, half.userData)
	s.sendGlobal(from, &half.out, kindChallenge, s.lane.body)
	return DropNone
}

// tokenReader decrypts the private parts of tokens.
type tokenReader struct {
	aead cipher.AEAD
	data []byte // associated data
}

// open decrypts a private part and appends it to dst.
func (r *tokenReader) open(dst []byte, protocolID, expire uint64, nonce, sealed []byte) (plain []byte, ok bool) {
	r.data = appendTokenData(r.data[:0], protocolID, expire)
	plain, err := r.aead.Open(dst, nonce, sealed, r.data)
	return plain, err == nil
}

// beginHandshake starts the handshake of a client with an authentic token. It keeps the keys behind pointers, so that printing the
// server does not reveal them.
func (s *Server) beginHandshake(now time.Time, from netip.AddrPort, mac tokenMAC, expire uint64, plain []byte) (*halfOpen, DropReason) {
	var token privateToken
	switch {
	case !token.parse(plain):
		return nil, DropMalformed
	case !s.config.AnyAddress && !token.servers.containsAny(s.config.Addresses):
		return nil, DropElsewhere
	case expire-unixTime(now) > uint64(s.config.MaxLifetime/time.Second):
		return nil, DropLifetime
	}
	out := newDirection(&token.serverToClient)
	if drop := s.admissible(now, from, mac, token.clientID, expire, &out); drop != DropNone {
		return nil, drop
	}
	half := &halfOpen{
		addr:     from,
		mac:      mac,
		clientID: token.clientID,
		expire:   expire,
		timeout:  max(0, time.Duration(token.timeout)*time.Second),
		first:    s.challenges.next,
		since:    s.clock.At(now),
		userData: new(token.userData),
		in:       newDirection(&token.clientToServer),
		out:      out,
	}
	if !s.half.add(half) {
		return nil, DropNoRoom
	}
	return half, DropNone
}

// admissible checks whether a client with a valid token can get a session. It denies the client if no slot is free.
func (s *Server) admissible(now time.Time, from netip.AddrPort, mac tokenMAC, clientID, expire uint64, out *direction) DropReason {
	old, there, half := s.replaceable(clientID, expire), s.peers.byAddress(from), s.half.byAddr[from]
	switch {
	case there != nil && there != old:
		return DropConnected
	case half != nil && half.mac != mac && s.clock.At(now)-half.since < aliveTime:
		return DropConnected
	case s.peers.byID[clientID] != old:
		return DropClientID
	case s.full(old):
		s.sendGlobal(from, out, kindDenied, nil)
		return DropFull
	}
	return DropNone
}

// response checks the answer to a challenge and gives the client a slot.
func (s *Server) response(now time.Time, half *halfOpen, head header, b []byte, h ServerHandler) DropReason {
	tag := s.limits.tag(half.addr.Addr())
	if !s.limits.allow(s.clock.At(now), tag) {
		return DropRate
	}
	body, ok := half.in.open(s.lane.plain[:0], &s.lane.parameters, head, b)
	if !ok {
		return DropForged
	}
	if !bodyFits(head.kind, len(body)) {
		return DropMalformed
	}
	sequence, clientID, ok := s.challenges.open(body)
	old := s.replaceable(clientID, half.expire)
	switch {
	case !ok, clientID != half.clientID, sequence < half.first:
		return DropChallenge
	case s.peers.byID[clientID] != old:
		return DropClientID
	case half.expire <= unixTime(now):
		return DropExpired
	case s.full(old):
		s.sendGlobal(half.addr, &half.out, kindDenied, nil)
		return DropFull
	case !s.usedTokens.add(half.mac, half.expire, networkOf(half.addr.Addr())):
		return DropUsedFull
	}
	s.half.remove(half)
	s.limits.remember(tag)
	if old != nil {
		s.dismiss(now, old, ErrReplaced, h)
		if s.closed || s.full(nil) {
			// The handler closed the server or stopped accepting clients.
			s.sendGlobal(half.addr, &half.out, kindDenied, nil)
			return DropFull
		}
	}
	p := &Peer{
		server:   s,
		lane:     s.lane,
		id:       half.clientID,
		mac:      half.mac,
		addr:     half.addr,
		expire:   half.expire,
		timeout:  half.timeout,
		userData: half.userData,
		in:       half.in,
		out:      half.out,
		sequence: firstSequence(half.expire, now),
		window:   newWindow(head.sequence),
		heard:    s.clock.At(now),
	}
	s.peers.add(p)
	_ = p.keepAlive(now)
	h.Connected(now, p)
	return DropNone
}

// replaceable returns the peer that a token for its client id may replace, or nil.
func (s *Server) replaceable(clientID, expire uint64) *Peer {
	if p := s.peers.byID[clientID]; s.config.Takeover && p != nil && p.expire <= expire {
		return p
	}
	return nil
}

// sendGlobal sends a packet outside a session, with the server's own sequence numbers.
func (s *Server) sendGlobal(to netip.AddrPort, out *direction, kind uint8, body []byte) {
	packet := s.lane.seal(out, kind, s.global, body)
	s.global++
	_ = s.lane.out(to, packet)
}

// firstSequence returns the first sequence number of a client or server: the number of milliseconds that have passed of the
// last 1<<22 ms of its token's lifetime. A later session of the token therefore starts above all numbers already used with
// its keys. Such a session occurs when a restarted server has forgotten the used token, when an earlier server of the token
// gave the client a slot without its knowledge, or when a new client uses the token. On a client whose clock is ahead, the
// token may already have expired, and the number keeps growing.
func firstSequence(expire uint64, now time.Time) uint64 {
	left := int64(min(expire, 1<<53)*1000) - now.UnixMilli()
	return uint64(max(0, sequenceSpan-left))
}
