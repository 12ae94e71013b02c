package sessions

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Reservation keeps the seat of a player who may return: the client number and with it the entities.
type Reservation struct {
	Player uint64 // client id of its tokens
	ID     uint32 // client number
	Input  uint32 // newest consumed input: the next session continues from it
	until  time.Time
}

// numberBits is the number of low bits of a session's ID that hold the client number. The high bits distinguish the
// sessions of one client: 0 for the first, and another number for each later one.
const numberBits = 32

// Ordinal returns the number that distinguishes a session from other sessions of the same client, 0 for the first.
// Both ends know it.
func Ordinal(s netsys.Session) uint32 { return uint32(s.ID() >> numberBits) }

// spectatorBit is set in the client numbers of spectators, so that they do not change those of players.
const spectatorBit = 1 << 31

// IsSpectator reports whether a client number is that of a spectator.
func IsSpectator(id uint32) bool { return id&spectatorBit != 0 }

// Number returns the ID for a session whose handshake has started.
func (r *Roster) Number(s netsys.Session) uint64 {
	player := s.ClientID()
	if s.Spectator() {
		return r.NumberSpectator()
	}
	if i := r.reservationOf(player); i >= 0 {
		x := &r.reserved[i]
		// The reservation lasts at least until this handshake ends.
		if late := r.config.Now().Add(r.config.Timeout); x.until.Before(late) {
			x.until = late
		}
		r.returns++
		return uint64(r.returns)<<numberBits | uint64(x.ID)
	}
	if r.numbers++; r.numbers == spectatorBit {
		r.numbers-- // all numbers are used up: see Enter
		return 1 << numberBits
	}
	return uint64(r.numbers)
}

// NumberSpectator returns the ID for a session of a spectator.
func (r *Roster) NumberSpectator() uint64 {
	r.watchers = r.watchers%(spectatorBit-1) + 1
	return uint64(spectatorBit | r.watchers)
}

// Reserved returns the reservations, in the order of leaving.
func (r *Roster) Reserved() []Reservation { return r.reserved }

// ReservedInput returns the newest consumed input of the player whose seat is reserved under a client number, 0 if
// there is none.
func (r *Roster) ReservedInput(id uint32) uint32 {
	for i := range r.reserved {
		if r.reserved[i].ID == id {
			return r.reserved[i].Input
		}
	}
	return 0
}

// Numbers returns how many client numbers were assigned, and how many handshakes of returning players there were.
func (r *Roster) Numbers() (numbers, returns uint32) { return r.numbers, r.returns }

// returnsMargin is added to the returns of a save, so that no session gets the ID of one that started after the save.
const returnsMargin = 1 << 16

// Resume continues the roster of a saved server, before the first client. numbers and returns are those of Numbers. The
// windows of the reservations start now. Without a window, their players have left for good. gone lists other players who
// have left for good.
func (r *Roster) Resume(numbers, returns uint32, reserved []Reservation, gone []uint32) {
	r.numbers, r.returns = numbers, returns+returnsMargin
	r.gone = append(r.gone, gone...)
	for _, x := range reserved {
		if x.until = r.config.Now().Add(r.config.ReconnectWindow); r.config.ReconnectWindow <= 0 {
			r.end(x)
			continue
		}
		r.hold(x)
	}
}

// Expects reports whether a player has a reserved seat.
func (r *Roster) Expects(player uint64) bool { return r.reservationOf(player) >= 0 }

// reservationOf returns the index of a player's reservation, or -1.
func (r *Roster) reservationOf(player uint64) int {
	return slices.IndexFunc(r.reserved, func(x Reservation) bool { return x.Player == player })
}

// claim removes and returns a player's reservation. It returns false if there is none.
func (r *Roster) claim(player uint64, id uint32) (Reservation, bool) {
	i := r.reservationOf(player)
	if i < 0 || r.reserved[i].ID != id {
		return Reservation{}, false
	}
	x := r.reserved[i]
	r.reserved = slices.Delete(r.reserved, i, i+1)
	return x, true
}

// Waits reports whether the player of a session that ended for this reason gets a reserved seat.
func (r *Roster) Waits(reason error) bool {
	var end *netsys.CloseError
	away := errors.As(reason, &end) && end.Reason == netsys.ReasonAway
	return r.config.ReconnectWindow > 0 && (away || errors.Is(reason, netsys.ErrTimeout) || errors.Is(reason, netsys.ErrReplaced))
}

// reserve reserves the seat of a client that is gone. input is its newest consumed input. If there are too many
// reservations, the oldest one ends.
func (r *Roster) reserve(c *Client, input uint32) {
	r.hold(Reservation{Player: c.Session.ClientID(), ID: c.ID, Input: input, until: r.config.Now().Add(r.config.ReconnectWindow)})
}

// hold adds a reservation.
func (r *Roster) hold(x Reservation) {
	if len(r.reserved) >= r.config.MaxClients {
		r.end(r.reserved[0])
		r.reserved = slices.Delete(r.reserved, 0, 1)
	}
	r.reserved = append(r.reserved, x)
}

// expire ends reservations whose time is over.
func (r *Roster) expire(now time.Time) {
	r.reserved = slices.DeleteFunc(r.reserved, func(x Reservation) bool {
		over := !now.Before(x.until)
		if over {
			r.end(x)
			r.config.Logger.Info("client did not come back", "client", x.ID)
		}
		return over
	})
}

// end records that a player with a reservation has left for good.
func (r *Roster) end(x Reservation) {
	r.gone = append(r.gone, x.ID)
	r.config.Admission.Gone(x.Player, x.ID)
}
