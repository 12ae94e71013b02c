package netcode

import (
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
	config  ServerConfig
	lane    *Lane
	apart   apart
	closing bool
	closed  bool
	clock   watch

	tokens     tokenReader
	challenges challenges
	global     uint64 // sequence of the next packet outside of sessions
	limits     *limiter
	half       *halfOpens
	burnt      burnt

	peers  roster
	search search
}

// watch is the clock of an end, which is looked at in every update.
type watch struct {
	clock.Clock
	updated time.Duration
}

// look is the time of an update, and how much longer it has been since the one before than heldTime: this end did not
// listen, and when the other one was last heard moves by that.
func (w *watch) look(now time.Time) (at, held time.Duration) {
	at = w.At(now)
	held = max(0, at-w.updated-heldTime)
	w.updated = at
	return at, held
}

// NewServer returns a server. It sends by calling out, which must not keep the datagram nor call back; an error of
// out means that the datagram is lost. The error is that of [ServerConfig.Validate].
func NewServer(config ServerConfig, out func(to netip.AddrPort, datagram []byte) error) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	tokens := tokenReader{aead: newTokenCipher(config.Key)}
	config.Key = Key{} // whoever prints a server does not print that
	challengeKey := GenerateKey(config.Random)
	var sequence [8]byte
	fill(config.Random, sequence[:])
	return &Server{
		config:     config,
		lane:       newLane(config.ProtocolID, out, nil),
		tokens:     tokens,
		challenges: newChallenges(&challengeKey),
		// One bit stays clear, so that the number cannot overflow.
		global: globalSequence | binary.LittleEndian.Uint64(sequence[:])>>2,
		limits: newLimiter(config.RequestsPerSecond, config.TokensPerSecond, config.Random),
		half:   newHalfOpens(config.MaxHalfOpen),
		burnt:  newBurnt(config.MaxUsedTokens, config.MaxUsedPerNetwork),
		peers:  newRoster(config.MaxClients, config.PacketsPerSecond),
		search: search{strays: newAddressMap[*Peer]()},
	}, nil
}

// String tells how many clients there are.
func (s *Server) String() string { return fmt.Sprintf("server with %d clients", s.peers.count) }

// Format implements [fmt.Formatter] by String for every verb that asks it, without telling keys.
func (s Server) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), s.String()) }

// Receive takes a datagram that arrived at now, which must be the time of day, as issuers of tokens know it. It
// returns why the datagram was dropped; that is counted too.
func (s *Server) Receive(now time.Time, from netip.AddrPort, datagram []byte, h ServerHandler) DropReason {
	drop := s.receive(now, unmap(from), datagram, h)
	s.lane.drops.count(drop)
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
	p := s.peers.at(from)
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

// at is a time by the server's clock.
func (s *Server) at(now time.Time) time.Duration {
	if s.apart.is {
		return s.apart.at
	}
	return s.clock.At(now)
}

// Update does what is due at now: keep-alives, timeouts. Call it at least ten times a second.
func (s *Server) Update(now time.Time, h ServerHandler) {
	if s.closed {
		return
	}
	at, held := s.clock.look(now)
	for slot, due := range s.peers.due {
		// Of who has nothing due this is all that is looked at.
		if at < due && held == 0 {
			continue
		}
		p := s.peers.slots[slot]
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
		if !p.ended {
			s.peers.due[slot] = p.due()
		}
	}
	s.lane.drops[DropHalfOpen] += s.half.expire(at)
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
		for _, p := range s.peers.slots {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// Len is the number of connected clients.
func (s *Server) Len() int { return s.peers.count }

// Drops counts what was dropped so far, by reason.
func (s *Server) Drops() Drops { return s.lane.drops }

// full reports whether there is no slot for somebody who replaces old, or nobody.
func (s *Server) full(old *Peer) bool { return s.closing || old == nil && s.peers.full() }

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
	if s.apart.is {
		p.lane.ended = append(p.lane.ended, p)
		return
	}
	s.forget(p)
}

// forget takes a peer out of the tables.
func (s *Server) forget(p *Peer) {
	s.peers.remove(p)
	s.search.settle(p)
}
