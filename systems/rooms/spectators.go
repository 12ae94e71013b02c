package rooms

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/systems"
)

var (
	errForPlayer    = errors.New("rooms: the token is for a player: connect without ClientConfig.Spectate, or get a token to watch the room")
	errForSpectator = errors.New("rooms: the token is for a spectator: connect with ClientConfig.Spectate, or get a token to join the room")
)

// checkSpectators returns an error if the configured number of spectators is too large.
func checkSpectators(c *systems.ServerConfig) error {
	if n := c.Players.Spectators; n > MaxCapacity {
		return fmt.Errorf("Server.Players.Spectators %d is not in 0..%d", n, MaxCapacity)
	}
	return nil
}

// makePlaces makes the transport of a room whose world is being created, with places for players and spectators.
func (r *Room) makePlaces(spectators int) {
	places := r.kind.Capacity + spectators
	r.port, r.clients.here = r.server.router.newPort(places), make([]client, places)
	r.mu.Lock()
	r.held.spectators = newSeatBook(spectators, r.epoch.Load())
	r.mu.Unlock()
}

// spectates reports whether a seat is the place of a spectator.
func (r *Room) spectates(s Seat) bool { return int(s.Number) >= r.kind.Capacity }

// bookOf returns the book that has a seat, and the promise of the seat in that book. The caller holds the room's lock.
func (h *held) bookOf(s Seat) (*seatBook, seatPromise) {
	p := s.promise()
	if n := len(h.book.seats); int(p.number) >= n {
		p.number -= uint16(n)
		return h.spectators, p
	}
	return h.book, p
}

// Spectate returns a token with which a player watches the room. A spectator takes no seat, runs no Join and changes nothing in
// the world: see systems.ClientConfig.Spectate. It is no player of the room: no hook is called for it, and the room ends without
// waiting for it, when it is empty or has drained. [Kind].Server.Players.Spectators limits the spectators of a room, and Sight what
// they see.
//
// The token is for one session, within [Config].Promise. If the player asks again, it gets another token for its place, and the
// previous ones become invalid. A player has one unused token to watch in this process: another one frees its place in other rooms.
// Locked rooms can be watched. Player.Carried is ignored. The error wraps [ErrNoSpectators], [ErrSpectators], [ErrSeated], [ErrBanned],
// [ErrDraining], [ErrEnded], [ErrStuck] or [ErrPlayer].
func (r *Room) Spectate(who Player) (Admission, error) {
	who.Carried = nil
	if err := check([]Player{who}); err != nil {
		return Admission{}, err
	}
	if err := r.server.mayAdmit(); err != nil {
		return Admission{}, err
	}
	if r.watch.stuck.Load() != 0 {
		return Admission{}, ErrStuck
	}
	now := r.server.config.Now()
	until := r.server.config.until(now)
	r.mu.Lock()
	err := r.held.life.admits()
	if errors.Is(err, ErrLocked) {
		err = nil
	}
	if err == nil && r.orphaned() {
		err = ErrOrphaned
	}
	if err == nil {
		err = r.held.maySpectate(who.ID)
	}
	var p seatPromise
	if err == nil {
		p, err = r.held.spectators.reserveOrRenew(now, until, claimant{player: who.ID, party: who.Party})
	}
	p.number += uint16(r.kind.Capacity)
	r.mu.Unlock()
	if err != nil {
		return Admission{}, err
	}
	r.changed()
	for _, other := range r.server.Rooms() {
		if other != r {
			other.releaseSpectator(who.ID)
		}
	}
	return r.issueToken(now, until, who, p)
}

// maySpectate returns an error if a player must not watch the room. The caller holds the room's lock.
func (h *held) maySpectate(player uint64) error {
	if _, _, seated := h.book.seatOf(player); seated {
		return ErrSeated
	}
	switch {
	case h.book.bans(player):
		return ErrBanned
	case len(h.spectators.seats) == 0:
		return ErrNoSpectators
	}
	return nil
}

// checkSpectator checks a client that watches, or has a token for a spectator. The caller holds the room's lock.
func (h *held) checkSpectator(s Seat, watches, place bool) error {
	switch {
	case !place:
		return errForPlayer
	case !watches:
		return errForSpectator
	}
	return h.maySpectate(s.Player)
}

// releaseSpectator frees the place of a spectator who has not connected.
func (r *Room) releaseSpectator(player uint64) {
	r.mu.Lock()
	_, s, ok := r.held.spectators.seatOf(player)
	if ok = ok && s.state() == seatPromised; ok {
		_, _ = r.held.spectators.kick(player) // it has a place
	}
	r.mu.Unlock()
	if ok {
		r.changed()
		r.rouse()
	}
}
