package netsys

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"time"
)

const (
	// maxHalfOpen bounds the handshakes that wait for their client's first packet. When one more comes, the
	// oldest goes: a flood from forged addresses then has to outrun an honest client's round trip.
	maxHalfOpen = 1024
	// halfOpenTime is how long one may wait: longer than the longest round trip that play is possible with.
	halfOpenTime = 10 * time.Second
)

// Server is the [Endpoint] that clients connect to. It spends little on a client until that has answered from
// its address, and answers nothing with more bytes than it got. It examines and counts everything that comes;
// nothing from the wire can stop it.
type Server struct {
	wire   Wire
	config ServerConfig
	schema *schema

	sessions []*session // in join order
	byAddr   map[netip.AddrPort]*session
	halfOpen []*halfOpen // oldest first
	halfAddr map[netip.AddrPort]*halfOpen
	lastID   uint64

	closing bool
	closed  bool
	drops   Drops

	now     time.Time
	handler Handler
	deliver func(Datagram)
	hello   hello
	answer  []byte
}

// halfOpen is a client that was sent a Welcome and has not used it yet.
type halfOpen struct {
	addr    netip.AddrPort
	nonce   uint64
	tag     uint64
	id      uint64
	token   uint64
	welcome []byte
	since   time.Time
}

var _ Endpoint = (*Server)(nil)

// NewServer returns a server on a wire, which from then on belongs to the server and is closed with it. The
// error is that of [ServerConfig.Validate].
func NewServer(w Wire, config ServerConfig) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.MaxClients = orDefault(config.MaxClients, defaultMaxClients)
	config.Timeout = orDefault(config.Timeout, defaultTimeout)
	config.KeepAlive = orDefault(config.KeepAlive, defaultKeepAlive)
	s := &Server{
		wire:     w,
		config:   config,
		schema:   newSchema(config.Schema),
		byAddr:   make(map[netip.AddrPort]*session),
		halfAddr: make(map[netip.AddrPort]*halfOpen),
	}
	s.deliver = s.receive
	return s, nil
}

// Poll implements [Endpoint].
func (s *Server) Poll(now time.Time, h Handler) {
	s.now, s.handler = now, h
	if !s.closed {
		s.wire.Poll(now, s.deliver)
		s.expire()
		for _, session := range s.sessions {
			session.update(now)
		}
	}
	for i := 0; i < len(s.sessions); {
		session := s.sessions[i]
		if session.state != ended {
			i++
			continue
		}
		s.sessions = slices.Delete(s.sessions, i, i+1)
		if s.byAddr[session.remote] == session {
			delete(s.byAddr, session.remote)
		}
		session.state = reported
		h.Disconnected(now, session, session.reason)
	}
	s.handler = nil
	s.Flush(now)
}

// Flush makes the wire send what it collected, when it is a [Flusher]. Call it after the last [Session.Send]
// of a tick; otherwise that waits for the next Poll.
func (s *Server) Flush(now time.Time) {
	if !s.closed {
		flush(s.wire, now)
	}
}

// Close implements [Endpoint].
func (s *Server) Close(now time.Time) error {
	if s.closed {
		return nil
	}
	for session := range s.Sessions() {
		session.Close(now, ReasonServerClosing)
	}
	s.closed = true
	return s.wire.Close()
}

// StopAccepting makes the server refuse new clients, with an [ErrRefused] that matches [ErrClosed], while it goes
// on with those that were welcomed before.
func (s *Server) StopAccepting() { s.closing = true }

// Sessions are the connected clients in join order.
func (s *Server) Sessions() iter.Seq[Session] {
	return func(yield func(Session) bool) {
		for _, session := range s.sessions {
			if session.state == connected && !yield(session) {
				return
			}
		}
	}
}

// Len is the number of connected clients.
func (s *Server) Len() int {
	n := 0
	for _, session := range s.sessions {
		if session.state == connected {
			n++
		}
	}
	return n
}

// Tag is the [ClientConfig.Tag] of the client of one of this server's sessions.
func (s *Server) Tag(of Session) uint64 {
	if session, ok := of.(*session); ok {
		return session.tag
	}
	return 0
}

// Drops counts the datagrams thrown away so far, by reason.
func (s *Server) Drops() Drops { return s.drops }

// LocalAddr is the address of the wire.
func (s *Server) LocalAddr() netip.AddrPort { return s.wire.LocalAddr() }

// receive takes one datagram from the wire.
func (s *Server) receive(d Datagram) {
	drop := DropNone
	switch {
	case len(d.Data) < prefixSize:
		drop = DropTooShort
	case len(d.Data) > maxPacket:
		drop = DropTooLong
	case d.Data[0] == kindHello:
		drop = s.greet(d)
	case d.Data[0] == kindWelcome || d.Data[0] == kindRefused:
		drop = DropUnexpected
	case d.Data[0] > kindDisconnect || d.Data[0] == 0:
		drop = DropUnknownType
	default:
		drop = s.pass(d)
	}
	s.drops.count(drop)
}

// pass gives a packet to its session, or makes a session of a handshake that the packet completes.
func (s *Server) pass(d Datagram) DropReason {
	drop := DropUnknownSender
	old := s.byAddr[d.From]
	if old != nil && old.state == connected {
		if drop = old.receive(s.now, d, s.handler); drop != DropChecksum {
			return drop
		}
	}
	half := s.halfAddr[d.From]
	if half == nil {
		return drop
	}
	if _, _, drop := parsePacket(d.Data, newSeal(half.token)); drop != DropNone {
		return drop
	}
	s.forget(half)
	if old != nil {
		old.end(ErrReplaced)
	}
	if s.Len() >= s.config.MaxClients {
		s.refuse(d.From, refused{nonce: half.nonce, reason: refusedFull})
		return DropFull
	}
	fresh := &session{
		wire: s.wire, remote: d.From, nonce: half.nonce, tag: half.tag,
		timeout: s.config.Timeout, keepAlive: s.config.KeepAlive,
	}
	fresh.open(s.now, half.id, half.token)
	s.sessions = append(s.sessions, fresh)
	s.byAddr[d.From] = fresh
	s.handler.Connected(s.now, fresh)
	if fresh.state != connected {
		return DropNone // the handler closed it at once
	}
	return fresh.receive(s.now, d, s.handler)
}

// greet answers a Hello.
func (s *Server) greet(d Datagram) DropReason {
	h := &s.hello
	switch drop := parseHello(d.Data, h); drop {
	case DropNone:
	case DropVersion:
		s.refuse(d.From, refused{nonce: h.nonce, reason: refusedVersion})
		return drop
	default:
		return drop
	}
	old := s.byAddr[d.From]
	if old != nil && old.nonce == h.nonce {
		return DropDuplicate
	}
	if half := s.halfAddr[d.From]; half != nil && half.nonce == h.nonce {
		// The Welcome may have been lost: the same one again.
		_ = s.wire.Send(s.now, d.From, half.welcome)
		return DropNone
	}
	if at, differs := s.schema.differs(h); differs {
		r := refused{nonce: h.nonce, reason: refusedSchema, line: unknownLine}
		if at >= 0 {
			line := s.schema.line(at)
			r.line, r.text = uint16(at), []byte(line[:min(len(line), maxRefusedText)])
		}
		s.refuse(d.From, r)
		return DropSchema
	}
	if s.closing {
		s.refuse(d.From, refused{nonce: h.nonce, reason: refusedClosing})
		return DropClosing
	}
	taken := s.Len()
	if old != nil && old.state == connected {
		taken-- // it will make room for its successor
	}
	if taken >= s.config.MaxClients {
		s.refuse(d.From, refused{nonce: h.nonce, reason: refusedFull})
		return DropFull
	}
	s.welcome(d.From, h.nonce, h.tag)
	return DropNone
}

// welcome begins a session that lasts when its client is heard from again.
func (s *Server) welcome(to netip.AddrPort, nonce, tag uint64) {
	if half := s.halfAddr[to]; half != nil {
		s.forget(half)
		s.drops.count(DropHalfOpen)
	}
	if len(s.halfOpen) >= maxHalfOpen {
		s.forget(s.halfOpen[0])
		s.drops.count(DropHalfOpen)
	}
	s.lastID++
	half := &halfOpen{addr: to, nonce: nonce, tag: tag, id: s.lastID, token: randomUint64(s.config.Random), since: s.now}
	w := welcome{nonce: nonce, id: half.id, token: half.token}
	if s.config.Welcome != nil {
		w.payload = s.config.Welcome(half.id)
	}
	if len(w.payload) > MaxWelcome {
		panic(fmt.Sprintf("netsys: ServerConfig.Welcome returned %d bytes; send more than %d in a payload after Connected", len(w.payload), MaxWelcome))
	}
	half.welcome = appendWelcome(nil, w)
	s.halfOpen = append(s.halfOpen, half)
	s.halfAddr[to] = half
	_ = s.wire.Send(s.now, to, half.welcome)
}

func (s *Server) refuse(to netip.AddrPort, r refused) {
	s.answer = appendRefused(s.answer[:0], r)
	_ = s.wire.Send(s.now, to, s.answer)
}

// expire forgets handshakes that waited too long.
func (s *Server) expire() {
	for len(s.halfOpen) > 0 && s.now.Sub(s.halfOpen[0].since) >= halfOpenTime {
		s.forget(s.halfOpen[0])
		s.drops.count(DropHalfOpen)
	}
}

func (s *Server) forget(half *halfOpen) {
	delete(s.halfAddr, half.addr)
	if i := slices.Index(s.halfOpen, half); i >= 0 {
		s.halfOpen = slices.Delete(s.halfOpen, i, i+1)
	}
}
