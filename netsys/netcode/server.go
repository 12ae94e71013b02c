package netcode

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/clock"
)

// ServerHandler receives the events of a [Server], within the call of Receive or Update that causes them. It may send, and
// disconnect any peer.
type ServerHandler interface {
	// Connected is called when a client has got a slot.
	Connected(now time.Time, p *Peer)
	// Payload is called for each payload of 1 to [MaxPayload] bytes, valid during the call.
	Payload(now time.Time, p *Peer, payload []byte)
	// Disconnected is called when a session has ended because of [ErrTimeout], [ErrDisconnected], [ErrReplaced] or
	// [ErrFlood]. The slot is free.
	Disconnected(now time.Time, p *Peer, reason error)
}

// Farewell is an optional interface of a [ServerHandler]. It sends a client the reason before its session ends.
type Farewell interface {
	// Ending is called before a session ends because of [ErrReplaced] or [ErrFlood]. It may only send to the peer. It
	// returns true if it has notified the client; otherwise the server sends disconnect packets.
	Ending(now time.Time, p *Peer, reason error) (told bool)
}

// Server is the server's side of all its sessions. Only one goroutine may use it.
type Server struct {
	config  ServerConfig
	lane    *Lane
	apart   apart
	closing bool
	closed  bool
	clock   watch

	tokens     tokenReader
	challenges challenges
	global     uint64 // sequence number of the next packet outside sessions
	limits     *limiter
	half       *halfOpens
	usedTokens usedTokens

	peers  roster
	search search
}

// watch is the clock of a client or server.
type watch struct {
	clock.Clock
	updated time.Duration
}

// update returns the time of an update and held, the part of the time since the previous update that exceeds heldTime. This
// side did not listen during held, so the last-heard times of the other side move forward by it.
func (w *watch) update(now time.Time) (at, held time.Duration) {
	at = w.At(now)
	held = max(0, at-w.updated-heldTime)
	w.updated = at
	return at, held
}

// NewServer returns a server. It sends by calling out, which must neither keep the datagram nor call the server. If out
// returns an error, the datagram counts as lost. The error is that of [ServerConfig.Validate].
func NewServer(config ServerConfig, out func(to netip.AddrPort, datagram []byte) error) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	tokens := tokenReader{aead: newTokenCipher(config.Key)}
	config.Key = Key{} // so that printing a server does not reveal it
	challengeKey := GenerateKey(config.Random)
	var sequence [8]byte
	fillRandom(config.Random, sequence[:])
	return &Server{
		config:     config,
		lane:       newLane(config.ProtocolID, out, nil),
		tokens:     tokens,
		challenges: newChallenges(&challengeKey),
		// The second highest bit is clear, so that the number cannot overflow.
		global:     globalSequence | binary.LittleEndian.Uint64(sequence[:])>>2,
		limits:     newLimiter(config.RequestsPerSecond, config.TokensPerSecond, config.Random),
		half:       newHalfOpens(config.MaxHalfOpen),
		usedTokens: newUsedTokens(config.MaxUsedTokens, config.MaxUsedPerNetwork),
		peers:      newRoster(config.MaxClients, config.PacketsPerSecond),
		search:     search{strays: newAddressMap[*Peer]()},
	}, nil
}

// String returns the number of clients.
func (s *Server) String() string { return fmt.Sprintf("server with %d clients", s.peers.count) }

// Format implements [fmt.Formatter]. It prints String for every verb and never prints keys.
func (s Server) Format(f fmt.State, verb rune) { fmt.Fprintf(f, fmt.FormatString(f, verb), s.String()) }

// Receive processes a datagram that arrived at now, which must be the time of day, because tokens depend on it. It returns
// and counts the reason if the datagram was dropped.
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
	p := s.peers.byAddress(from)
	if head.kind == kindResponse {
		half := s.half.byAddr[from]
		switch {
		case half != nil && (p == nil || p.id == half.clientID):
			return s.response(now, half, head, b, h)
		case p != nil:
			return p.repeated(head, b)
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

// clockTime converts a time to the server's clock.
func (s *Server) clockTime(now time.Time) time.Duration {
	if s.apart.is {
		return s.apart.at
	}
	return s.clock.At(now)
}

// Update sends due keep-alives and checks timeouts. Call it at least ten times per second.
func (s *Server) Update(now time.Time, h ServerHandler) {
	if s.closed {
		return
	}
	at, held := s.clock.update(now)
	for slot, due := range s.peers.due {
		// This check must be cheap: most peers have nothing due.
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
	s.usedTokens.expire(unixTime(now))
}

// StopAccepting makes the server deny new clients. Existing sessions continue.
func (s *Server) StopAccepting() { s.closing = true }

// Close disconnects all clients. The server then ignores datagrams.
func (s *Server) Close(now time.Time) {
	for p := range s.Peers() {
		p.Disconnect(now)
	}
	s.closed = true
}

// Peers returns the connected clients in the order of their slots.
func (s *Server) Peers() iter.Seq[*Peer] {
	return func(yield func(*Peer) bool) {
		for _, p := range s.peers.slots {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// Len returns the number of connected clients.
func (s *Server) Len() int { return s.peers.count }

// Drops returns the number of dropped datagrams by reason.
func (s *Server) Drops() Drops { return s.lane.drops }

// full reports whether no slot is available. A client that replaces old needs no free slot.
func (s *Server) full(old *Peer) bool { return s.closing || old == nil && s.peers.full() }

// dismiss ends the session of a peer and notifies its client.
func (s *Server) dismiss(now time.Time, p *Peer, reason error, h ServerHandler) {
	if f, ok := h.(Farewell); ok && f.Ending(now, p, reason) {
		p.Forget()
	} else {
		p.Disconnect(now)
	}
	h.Disconnected(now, p, reason)
}

// remove frees the slot of a peer. A second call has no effect.
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

// forget removes a peer from the tables.
func (s *Server) forget(p *Peer) {
	s.peers.remove(p)
	s.search.forgetStray(p)
}
