package systems

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// seat is kept for a player whose session ended without a goodbye: the client number
// and, with it, the entities.
type seat struct {
	player uint64 // client id of its tokens
	id     uint32 // client number
	input  uint32 // newest that was consumed: the next session counts on from here
	until  time.Time
}

// A session's ID holds the client number in its low 32 bits, and in the high ones how
// many sessions of the same player had it before.
const numberBits = 32

// number is the ID of a session of a player, whose handshake has begun.
func (s *Server) number(player uint64) uint64 {
	if i := s.seatOf(player); i >= 0 {
		x := &s.sessions.seats[i]
		// It is kept until this handshake has ended one way or the other.
		if late := s.link.now.Add(s.config.Timeout); x.until.Before(late) {
			x.until = late
		}
		s.sessions.returns++
		return uint64(s.sessions.returns)<<numberBits | uint64(x.id)
	}
	if s.sessions.numbers++; s.sessions.numbers == 0 {
		s.sessions.numbers-- // all are used up: see Connected
		return 1 << numberBits
	}
	return uint64(s.sessions.numbers)
}

// seatOf is the index of the seat of a player, or -1.
func (s *Server) seatOf(player uint64) int {
	return slices.IndexFunc(s.sessions.seats, func(x seat) bool { return x.player == player })
}

// takeSeat gives a player the seat that was kept. It reports false when nothing was.
func (s *Server) takeSeat(player uint64, id uint32) (seat, bool) {
	i := s.seatOf(player)
	if i < 0 || s.sessions.seats[i].id != id {
		return seat{}, false
	}
	x := s.sessions.seats[i]
	s.sessions.seats = slices.Delete(s.sessions.seats, i, i+1)
	return x, true
}

// waits reports whether a player is waited for whose session ended so.
func (s *Server) waits(p *peer, reason error) bool {
	return s.config.Hold > 0 && (errors.Is(reason, netsys.ErrTimeout) || errors.Is(reason, netsys.ErrReplaced) || p.liveness.deaf)
}

// keepSeat keeps the seat of a client that is gone. Where there are too many, the
// player that has been waited for longest has left.
func (s *Server) keepSeat(p *peer) {
	if len(s.sessions.seats) >= s.config.MaxClients {
		s.sessions.left = append(s.sessions.left, s.sessions.seats[0].id)
		s.sessions.seats = slices.Delete(s.sessions.seats, 0, 1)
	}
	s.sessions.seats = append(s.sessions.seats, seat{
		player: p.session.ClientID(), id: p.id, input: p.inputs.expected - 1, until: s.link.now.Add(s.config.Hold),
	})
}

// expireSeats ends the waiting for players that did not come.
func (s *Server) expireSeats() {
	s.sessions.seats = slices.DeleteFunc(s.sessions.seats, func(x seat) bool {
		over := !s.link.now.Before(x.until)
		if over {
			s.sessions.left = append(s.sessions.left, x.id)
			s.config.Logger.Info("client did not come back", "client", x.id)
		}
		return over
	})
}
