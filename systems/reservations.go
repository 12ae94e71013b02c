package systems

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// reservation is kept for a player whose session ended without a goodbye: the client number
// and, with it, the entities.
type reservation struct {
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
	if i := s.reservationOf(player); i >= 0 {
		x := &s.sessions.reservations[i]
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

// reservationOf is the index of the reservation of a player, or -1.
func (s *Server) reservationOf(player uint64) int {
	return slices.IndexFunc(s.sessions.reservations, func(x reservation) bool { return x.player == player })
}

// takeReservation gives a player the reservation that was kept. It reports false when nothing was.
func (s *Server) takeReservation(player uint64, id uint32) (reservation, bool) {
	i := s.reservationOf(player)
	if i < 0 || s.sessions.reservations[i].id != id {
		return reservation{}, false
	}
	x := s.sessions.reservations[i]
	s.sessions.reservations = slices.Delete(s.sessions.reservations, i, i+1)
	return x, true
}

// waits reports whether a player is waited for whose session ended so.
func (s *Server) waits(p *peer, reason error) bool {
	return s.config.ReconnectWindow > 0 && (errors.Is(reason, netsys.ErrTimeout) || errors.Is(reason, netsys.ErrReplaced) || p.liveness.deaf)
}

// reserve keeps a reservation for a client that is gone. Where there are too many, the
// player that has been waited for longest has left.
func (s *Server) reserve(p *peer) {
	if len(s.sessions.reservations) >= s.config.MaxClients {
		s.sessions.toLeave = append(s.sessions.toLeave, s.sessions.reservations[0].id)
		s.sessions.reservations = slices.Delete(s.sessions.reservations, 0, 1)
	}
	s.sessions.reservations = append(s.sessions.reservations, reservation{
		player: p.session.ClientID(), id: p.id, input: p.inputs.Consumed(), until: s.link.now.Add(s.config.ReconnectWindow),
	})
}

// expireReservations ends the waiting for players that did not come.
func (s *Server) expireReservations() {
	s.sessions.reservations = slices.DeleteFunc(s.sessions.reservations, func(x reservation) bool {
		over := !s.link.now.Before(x.until)
		if over {
			s.sessions.toLeave = append(s.sessions.toLeave, x.id)
			s.config.Logger.Info("client did not come back", "client", x.id)
		}
		return over
	})
}
