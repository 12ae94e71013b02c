package sessions

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Reservation is kept for a player who may come back: the client number
// and, with it, the entities.
type Reservation struct {
	Player uint64 // client id of its tokens
	ID     uint32 // client number
	Input  uint32 // newest that was consumed: the next session counts on from here
	until  time.Time
}

// A session's ID holds the client number in its low 32 bits. The high ones tell the sessions of one client apart: 0 for its
// first one, and another number for each that follows.
const numberBits = 32

// Ordinal returns the number that tells a session from other sessions of the same client, 0 for the first; both ends know it.
func Ordinal(s netsys.Session) uint32 { return uint32(s.ID() >> numberBits) }

// Number is the ID of a session of a player, whose handshake has begun.
func (r *Roster) Number(player uint64) uint64 {
	if i := r.reservationOf(player); i >= 0 {
		x := &r.reserved[i]
		// It is kept until this handshake has ended one way or the other.
		if late := r.config.Now().Add(r.config.Timeout); x.until.Before(late) {
			x.until = late
		}
		r.returns++
		return uint64(r.returns)<<numberBits | uint64(x.ID)
	}
	if r.numbers++; r.numbers == 0 {
		r.numbers-- // all are used up: see Enter
		return 1 << numberBits
	}
	return uint64(r.numbers)
}

// Reserved is what is kept for players that are waited for, in the order in which they went.
func (r *Roster) Reserved() []Reservation { return r.reserved }

// KeptInput is the newest input that was consumed of the player whose place is kept under a
// number, 0 where none is.
func (r *Roster) KeptInput(id uint32) uint32 {
	for i := range r.reserved {
		if r.reserved[i].ID == id {
			return r.reserved[i].Input
		}
	}
	return 0
}

// Expects reports whether a player is waited for.
func (r *Roster) Expects(player uint64) bool { return r.reservationOf(player) >= 0 }

// reservationOf is the index of the reservation of a player, or -1.
func (r *Roster) reservationOf(player uint64) int {
	return slices.IndexFunc(r.reserved, func(x Reservation) bool { return x.Player == player })
}

// take gives a player the reservation that was kept. It reports false when nothing was.
func (r *Roster) take(player uint64, id uint32) (Reservation, bool) {
	i := r.reservationOf(player)
	if i < 0 || r.reserved[i].ID != id {
		return Reservation{}, false
	}
	x := r.reserved[i]
	r.reserved = slices.Delete(r.reserved, i, i+1)
	return x, true
}

// Waits reports whether the server waits for the player of a session that ended for this reason.
func (r *Roster) Waits(reason error) bool {
	var end *netsys.CloseError
	away := errors.As(reason, &end) && end.Reason == netsys.ReasonAway
	return r.config.ReconnectWindow > 0 && (away || errors.Is(reason, netsys.ErrTimeout) || errors.Is(reason, netsys.ErrReplaced))
}

// reserve keeps a reservation for a client that is gone, whose newest input that was consumed
// is this. Where there are too many, the player that has been waited for longest has left.
func (r *Roster) reserve(c *Client, input uint32) {
	if len(r.reserved) >= r.config.MaxClients {
		r.lost(r.reserved[0])
		r.reserved = slices.Delete(r.reserved, 0, 1)
	}
	r.reserved = append(r.reserved, Reservation{
		Player: c.Session.ClientID(), ID: c.ID, Input: input, until: r.config.Now().Add(r.config.ReconnectWindow),
	})
}

// expire ends the waiting for players that did not come.
func (r *Roster) expire(now time.Time) {
	r.reserved = slices.DeleteFunc(r.reserved, func(x Reservation) bool {
		over := !now.Before(x.until)
		if over {
			r.lost(x)
			r.config.Logger.Info("client did not come back", "client", x.ID)
		}
		return over
	})
}

// lost ends the waiting for a player.
func (r *Roster) lost(x Reservation) {
	r.gone = append(r.gone, x.ID)
	r.config.Door.Gone(x.Player, x.ID)
}
