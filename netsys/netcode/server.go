package netcode

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/clock"
)

// ServerHandler is told what happens on a [Server], in the call that feeds it. It may send, and disconnect any peer.
type ServerHandler interface {
	// Connected: a client got a slot.
	Connected(now time.Time, p *Peer)
	// Payload: a payload came, 1 to [MaxPayload] bytes that are valid during the call.
	Payload(now time.Time, p *Peer, payload []byte)
	// Disconnected: the session has ended, because of [ErrTimeout], [ErrDisconnected], [ErrReplaced] or
	// [ErrFlood]. The slot is free.
	Disconnected(now time.Time, p *Peer, reason error)
}

// Farewell is a [ServerHandler] that tells a client itself why the server ends its session.
type Farewell interface {
	// Ending: the session is about to end because of [ErrReplaced] or [ErrFlood]. It may send to the peer, and nothing
	// else. It reports whether the client was told; otherwise it is disconnected.
	Ending(now time.Time, p *Peer, reason error) (told bool)
}

// Server is the server's end of all its sessions. It is used by one goroutine.
type Server struct {
	config ServerConfig
	out    func(to netip.AddrPort, datagram []byte) error

	tokens     cipher.AEAD
	challenges challenges
	global     uint64 // sequence of the next packet outside of sessions

	peers    []*Peer // by slot
	count    int
	byAddr   peerMap
	byID     map[uint64]*Peer
	half     *halfOpens
	burnt    burnt
	strays   peerMap // by where Find found them
	finds    shared  // of Find
	turn     int     // slot with which Find begins
	limits   *limiter
	interval time.Duration // between packets of a session
	drops    Drops
	closing  bool
	closed   bool

	clock   clock.Clock
	updated time.Duration

	plain  []byte // what was decrypted
	body   []byte // what is to be encrypted
	packet []byte // what was encrypted
	data   []byte // associated data of a private token
}

// NewServer returns a server. It sends by calling out, which must not keep the datagram nor call back; an error of
// out means that the datagram is lost. The error is that of [ServerConfig.Validate].
func NewServer(config ServerConfig, out func(to netip.AddrPort, datagram []byte) error) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	tokens := newTokenCipher(config.Key)
	config.Key = Key{} // whoever prints a server does not print that
	challengeKey := GenerateKey(config.Random)
	var sequence [8]byte
	fill(config.Random, sequence[:])
	return &Server{
		config:     config,
		out:        out,
		tokens:     tokens,
		challenges: newChallenges(&challengeKey),
		// One bit stays clear, so that the number cannot overflow.
		global:   globalSequence | binary.LittleEndian.Uint64(sequence[:])>>2,
		peers:    make([]*Peer, config.MaxClients),
		byAddr:   newPeerMap(),
		strays:   newPeerMap(),
		byID:     make(map[uint64]*Peer),
		half:     newHalfOpens(config.MaxHalfOpen),
		burnt:    newBurnt(config.MaxUsedTokens, config.MaxUsedPerNetwork),
		limits:   newLimiter(config.RequestsPerSecond, config.TokensPerSecond, config.Random),
		interval: time.Second / time.Duration(config.PacketsPerSecond),
		plain:    make([]byte, 0, MaxDatagram),
		body:     make([]byte, 0, MaxDatagram),
		packet:   make([]byte, 0, MaxDatagram),
	}, nil
}

// String tells how many clients there are.
func (s *Server) String() string { return fmt.Sprintf("server with %d clients", s.count) }

// Format implements [fmt.Formatter] by String for every verb that asks it, without telling keys.
func (s Server) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), s.String()) }

// Receive takes a datagram that arrived at now, which must be the time of day, as issuers of tokens know it. It
// returns why the datagram was dropped; that is counted too.
func (s *Server) Receive(now time.Time, from netip.AddrPort, datagram []byte, h ServerHandler) DropReason {
	drop := s.receive(now, unmap(from), datagram, h)
	s.drops.count(drop)
	return drop
}

func (s *Server) receive(now time.Time, from netip.AddrPort, b []byte, h ServerHandler) DropReason {
	if s.closed {
		return DropType
	}
	if len(b) > 0 && b[0] == kindRequest {
		return s.request(now, from, b)
	}
	head, drop := parseHeader(b, serverReceives)
	if drop != DropNone {
		return drop
	}
	p := s.byAddr.get(from)
	if head.kind == kindResponse {
		half := s.half.byAddr[from]
		switch {
		case half != nil && (p == nil || p.id == half.clientID):
			return s.response(now, half, head, b, h)
		case p != nil:
			return DropConnected
		}
	} else if p != nil {
		body, drop := p.open(now, head, b)
		if drop == DropNone {
			p.handle(now, head.kind, body, h)
		}
		return drop
	}
	return DropUnknownSender
}

// Update does what is due at now: keep-alives, timeouts. Call it at least ten times a second.
func (s *Server) Update(now time.Time, h ServerHandler) {
	if s.closed {
		return
	}
	at := s.clock.At(now)
	held := heldBetween(s.updated, at)
	s.updated = at
	for _, p := range s.peers {
		if p == nil {
			continue
		}
		p.heard = min(p.heard+held, at)
		switch {
		case p.timeout > 0 && at-p.heard >= p.timeout:
			s.remove(p)
			h.Disconnected(now, p, ErrTimeout)
		case p.overFor(at) >= floodTime:
			s.dismiss(now, p, ErrFlood, h)
		case at-p.sent >= sendInterval:
			_ = p.keepAlive(now)
		}
	}
	s.drops[DropHalfOpen] += s.half.expire(at)
	s.burnt.expire(unixTime(now))
}

// StopAccepting makes the server deny new clients, while it goes on with those that it has.
func (s *Server) StopAccepting() { s.closing = true }

// Close disconnects everybody. The server takes nothing after that.
func (s *Server) Close(now time.Time) {
	for p := range s.Peers() {
		p.Disconnect(now)
	}
	s.closed = true
}

// Peers are the connected clients in the order of their slots.
func (s *Server) Peers() iter.Seq[*Peer] {
	return func(yield func(*Peer) bool) {
		for _, p := range s.peers {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// Len is the number of connected clients.
func (s *Server) Len() int { return s.count }

// Drops counts what was dropped so far, by reason.
func (s *Server) Drops() Drops { return s.drops }

// full reports whether there is no slot for somebody who replaces old, or nobody.
func (s *Server) full(old *Peer) bool { return s.closing || old == nil && s.count >= len(s.peers) }

// heldBetween is how much longer it was from one update to the next than heldTime: this end did not listen, and when
// the other one was last heard moves by that.
func heldBetween(before, at time.Duration) time.Duration { return max(0, at-before-heldTime) }

// dismiss ends a session that does not end by itself, and tells its client.
func (s *Server) dismiss(now time.Time, p *Peer, reason error, h ServerHandler) {
	if f, ok := h.(Farewell); ok && f.Ending(now, p, reason) {
		p.Forget()
	} else {
		p.Disconnect(now)
	}
	h.Disconnected(now, p, reason)
}

// remove frees the slot of a peer. Doing so twice is harmless.
func (s *Server) remove(p *Peer) {
	if p.ended {
		return
	}
	p.ended = true
	s.peers[p.slot] = nil
	s.byAddr.remove(p.addr)
	s.settle(p)
	delete(s.byID, p.id)
	s.count--
}
