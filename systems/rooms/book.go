package rooms

import (
	"errors"
	"slices"
	"time"
)

// errStale rejects an outdated, used or expired promise.
var errStale = errors.New("rooms: this token is no longer valid for its seat: request a new one")

const (
	// handshakeTimeout is how long a handshake may take after its admission. Sessions give up earlier.
	handshakeTimeout = 12 * time.Second
	// helloGrace is how long an expired promise stays open if a client presented its token in time.
	helloGrace = 6 * time.Second
	// epochsPerRoom is the number of promises of a seat before its epochs repeat. Successive rooms with the same id have
	// separate ranges of epochs. Rooms 4,096 apart share a range; no token lives that long.
	epochsPerRoom = 1 << 20
)

// seatBook assigns the seats of a room. It uses no network, clock or lock.
//
// No player has two seats, and no seat has two players. Each promise raises the epoch of its seat, and only the newest
// promise admits its player.
type seatBook struct {
	seats      []bookSeat
	firstEpoch uint32         // first epoch of this room
	byPlayer   map[uint64]int // by player
	banned     []uint64       // players, in the order of their bans
	freed      []bookSeat     // since the last call of drainFreed
}

// newSeatBook returns the free seats of a room. room counts the rooms with the same id, from 1. The epochs of its seats are
// above those of all earlier rooms.
func newSeatBook(capacity int, room uint64) *seatBook {
	b := &seatBook{seats: make([]bookSeat, capacity), firstEpoch: uint32(room-1) * epochsPerRoom, byPlayer: make(map[uint64]int)}
	for n := range b.seats {
		b.seats[n].epoch = b.firstEpoch
	}
	return b
}

// raiseEpoch invalidates the earlier promises of a seat.
func (b *seatBook) raiseEpoch(s *bookSeat) {
	s.epoch = b.firstEpoch + (s.epoch-b.firstEpoch+1)%epochsPerRoom
}

// resume seats a player of a saved room, who may return, unless that is not possible.
func (b *seatBook) resume(n int, s bookSeat) {
	_, has := b.byPlayer[s.player]
	if n >= len(b.seats) || b.seats[n].state() != seatFree || has || s.player == 0 || s.client == 0 || slices.Contains(b.banned, s.player) {
		return
	}
	s.epoch = b.seats[n].epoch
	b.seats[n], b.byPlayer[s.player] = s, n
}

// claimant is a player who wants a seat.
type claimant struct{ player, party uint64 }

// seatPromise admits a player to a seat.
type seatPromise struct {
	number uint16
	epoch  uint32
}

// unused reports whether a player has a promised seat that it has never tried to take: the answer with its token may be lost.
func (b *seatBook) unused(player uint64) bool {
	n, ok := b.byPlayer[player]
	if !ok {
		return false
	}
	s := &b.seats[n]
	return s.state() == seatPromised && s.client == 0 && !s.asked
}

// reserve promises every player a seat until the given time, or no player any seat. A player whose seat is unused is promised that one
// again. The errors are ErrSeated, ErrBanned and ErrFull.
func (b *seatBook) reserve(now, until time.Time, dst []seatPromise, who ...claimant) ([]seatPromise, error) {
	missing := 0
	for i, w := range who {
		unused := b.unused(w.player)
		if _, has := b.byPlayer[w.player]; has && !unused {
			return dst, ErrSeated
		}
		if b.bans(w.player) {
			return dst, ErrBanned
		}
		for _, other := range who[:i] {
			if other.player == w.player {
				return dst, ErrSeated
			}
		}
		if !unused {
			missing++
		}
	}
	if b.free() < missing {
		return dst, ErrFull
	}
	n := 0
	for _, w := range who {
		if p, _, err := b.renew(until, w.player); err == nil {
			b.seats[p.number].party = w.party
			dst = append(dst, p)
			continue
		}
		for b.seats[n].state() != seatFree {
			n++
		}
		dst = append(dst, b.promise(n, w, now, until))
	}
	return dst, nil
}

// promise promises a free seat.
func (b *seatBook) promise(n int, w claimant, now, until time.Time) seatPromise {
	s := &b.seats[n]
	*s = bookSeat{player: w.player, party: w.party, epoch: s.epoch, since: now, promised: until}
	b.raiseEpoch(s)
	b.byPlayer[w.player] = n
	return seatPromise{uint16(n), s.epoch}
}

// renew promises a player its own seat again, until the given time, and invalidates earlier promises. A connected session
// of the player continues. The error is ErrNoSeat.
func (b *seatBook) renew(until time.Time, player uint64) (seatPromise, bookSeat, error) {
	n, ok := b.byPlayer[player]
	if !ok || b.seats[n].leaving {
		return seatPromise{}, bookSeat{}, ErrNoSeat
	}
	s := &b.seats[n]
	b.raiseEpoch(s)
	s.promised, s.asked = until, false
	return seatPromise{uint16(n), s.epoch}, *s, nil
}

// reserveOrRenew promises a spectator a place, or its own place again. The error is ErrSpectators.
func (b *seatBook) reserveOrRenew(now, until time.Time, w claimant) (seatPromise, error) {
	if p, _, err := b.renew(until, w.player); err == nil {
		return p, nil
	}
	all, err := b.reserve(now, until, nil, w)
	if err != nil { // full, or the spectator was removed and has not left yet
		return seatPromise{}, ErrSpectators
	}
	return all[0], nil
}

// holder returns the seat of a player if p is the newest promise of that seat, and nil otherwise.
func (b *seatBook) holder(p seatPromise, player uint64) *bookSeat {
	if int(p.number) >= len(b.seats) {
		return nil
	}
	if s := &b.seats[p.number]; s.state() != seatFree && s.player == player && s.epoch == p.epoch && !s.leaving {
		return s
	}
	return nil
}

// noteRequest records that a client presented a promise in time, so that the promise does not expire during the handshake.
func (b *seatBook) noteRequest(p seatPromise, player uint64) {
	if s := b.holder(p, player); s != nil && !s.promised.IsZero() {
		s.asked = true
	}
}

// admit admits the handshake of a player and uses up the promise. The error is errStale.
func (b *seatBook) admit(now time.Time, p seatPromise, player uint64) error {
	s := b.holder(p, player)
	if s == nil || s.promised.IsZero() {
		return errStale
	}
	s.promised, s.asked = time.Time{}, false
	s.entering = now.Add(handshakeTimeout)
	return nil
}

// enter seats a client whose handshake succeeded. back is true if the room was waiting for this client. ok is false if the
// client has no seat, which never happens after an admitted handshake.
func (b *seatBook) enter(p seatPromise, player uint64, client uint32) (s bookSeat, back, ok bool) {
	x := b.holder(p, player)
	if x == nil && int(p.number) < len(b.seats) {
		// The seat was promised again after the handshake was admitted. The client keeps the seat.
		if y := &b.seats[p.number]; y.player == player && !y.entering.IsZero() {
			x = y
		}
	}
	if x == nil || x.entering.IsZero() {
		return bookSeat{}, false, false
	}
	back = x.waits && x.client == client
	x.here, x.waits, x.client, x.entering = true, false, client, time.Time{}
	return *x, back, true
}

// leave records that a client disconnected. waits reports whether the room waits for its player.
func (b *seatBook) leave(player uint64, client uint32, waits bool) {
	n, ok := b.byPlayer[player]
	if !ok {
		return
	}
	if s := &b.seats[n]; s.here && s.client == client {
		s.here, s.waits = false, waits && !s.leaving
		b.freeIfUnused(n)
	}
}

// stopWaiting records that the room no longer waits for a player.
func (b *seatBook) stopWaiting(player uint64, client uint32) {
	n, ok := b.byPlayer[player]
	if !ok {
		return
	}
	if s := &b.seats[n]; s.waits && s.client == client {
		s.waits = false
		b.freeIfUnused(n)
	}
}

// kick removes a player from its seat: immediately, or once its connected client has left. It returns the number of the
// client, or 0. The error is ErrNoSeat.
func (b *seatBook) kick(player uint64) (client uint32, err error) {
	n, ok := b.byPlayer[player]
	if !ok {
		return 0, ErrNoSeat
	}
	s := &b.seats[n]
	s.promised, s.entering, s.waits = time.Time{}, time.Time{}, false
	b.raiseEpoch(s)
	if s.here {
		s.leaving = true
		return s.client, nil
	}
	b.freeIfUnused(n)
	return 0, nil
}

// ban rejects later reservations of a player. The caller kicks a player with a seat.
func (b *seatBook) ban(player uint64) {
	if !slices.Contains(b.banned, player) {
		b.banned = append(b.banned, player)
	}
}

// bans reports whether a player is banned.
func (b *seatBook) bans(player uint64) bool { return slices.Contains(b.banned, player) }

// newestBans returns the n newest bans. The caller must not change the result.
func (b *seatBook) newestBans(n int) []uint64 { return b.banned[max(len(b.banned)-n, 0):] }

// expire frees seats whose promises and handshakes have expired.
func (b *seatBook) expire(now time.Time) {
	for n := range b.seats {
		s := &b.seats[n]
		if late := s.promised; !late.IsZero() {
			if s.asked {
				late = late.Add(helloGrace)
			}
			if !now.Before(late) {
				s.promised, s.asked = time.Time{}, false
				b.freeIfUnused(n)
			}
		}
		if !s.entering.IsZero() && !now.Before(s.entering) {
			s.entering = time.Time{}
			b.freeIfUnused(n)
		}
	}
}

// freeIfUnused frees a seat unless a player has a right to it.
func (b *seatBook) freeIfUnused(n int) {
	s := &b.seats[n]
	if s.player == 0 && s.since.IsZero() || s.state() != seatFree {
		return
	}
	b.freed = append(b.freed, *s)
	delete(b.byPlayer, s.player)
	*s = bookSeat{epoch: s.epoch}
}

// drainFreed returns copies of the seats freed since the previous call, with their former contents. The result is valid
// until the next change.
func (b *seatBook) drainFreed() []bookSeat {
	f := b.freed
	b.freed = b.freed[:0]
	return f
}

// seatOf returns the seat of a player and its number.
func (b *seatBook) seatOf(player uint64) (number uint16, s bookSeat, ok bool) {
	n, ok := b.byPlayer[player]
	if !ok {
		return 0, bookSeat{}, false
	}
	return uint16(n), b.seats[n], true
}

// all returns the seats by number. The caller must not change them.
func (b *seatBook) all() []bookSeat { return b.seats }

// free returns the number of free seats.
func (b *seatBook) free() int { return len(b.seats) - len(b.byPlayer) }

// countByState returns the number of seats in each state.
func (b *seatBook) countByState() (c [len(seatStateNames)]int) {
	for i := range b.seats {
		c[b.seats[i].state()]++
	}
	return c
}
