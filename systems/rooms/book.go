package rooms

import (
	"errors"
	"slices"
	"time"
)

// errStale refuses a promise that is not the newest of its seat, was used, or has expired.
var errStale = errors.New("rooms: this token does not open its seat any more: ask for another one")

const (
	// handshakeTimeout is how long a handshake may take after it was admitted. Sessions give up earlier.
	handshakeTimeout = 10 * time.Second
	// helloGrace is how long a promise stays open after it has expired when a client presented its token in time.
	helloGrace = 6 * time.Second
	// epochsPerRoom is how many promises a seat has before their epochs repeat. Each room of an id has its own range of
	// epochs. Rooms 4,096 apart have the same range; no token lives that long.
	epochsPerRoom = 1 << 20
)

// seatBook says who may sit where in a room. It knows no network, no clock and no lock.
//
// At any time no player has two seats, no seat has two players, and no more seats are given away than there are. Each
// promise raises the epoch of its seat, and only the newest promise admits its player.
type seatBook struct {
	seats      []bookSeat
	firstEpoch uint32         // where the epochs begin
	byPlayer   map[uint64]int // by player
	banned     []uint64       // players, in the order of their bans
	freed      []bookSeat     // since they were taken off the list
}

// newSeatBook returns the seats of a room, all free. room is 1 for the first room of its id, and counts up. The epochs
// of its seats are above those of all earlier rooms.
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

// claimant is a player who wants a seat.
type claimant struct{ player, party uint64 }

// seatPromise admits a player to a seat.
type seatPromise struct {
	number uint16
	epoch  uint32
}

// reserve promises each player a seat until a time, or promises nobody one. The errors are ErrSeated, ErrBanned and
// ErrFull.
func (b *seatBook) reserve(now, until time.Time, dst []seatPromise, who ...claimant) ([]seatPromise, error) {
	for i, w := range who {
		if _, has := b.byPlayer[w.player]; has {
			return dst, ErrSeated
		}
		if slices.Contains(b.banned, w.player) {
			return dst, ErrBanned
		}
		for _, other := range who[:i] {
			if other.player == w.player {
				return dst, ErrSeated
			}
		}
	}
	if b.free() < len(who) {
		return dst, ErrFull
	}
	n := 0
	for _, w := range who {
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

// renew promises a player the seat that it has once more, until a time. Earlier promises of the seat admit nobody. A
// connected session of the player continues. The error is ErrNoSeat.
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

// noteRequest notes that a client came with a promise, so that the promise does not expire between its handshake and its
// seat.
func (b *seatBook) noteRequest(p seatPromise, player uint64) {
	if s := b.holder(p, player); s != nil && !s.promised.IsZero() {
		s.asked = true
	}
}

// admit admits the handshake of a player with a promise, and uses the promise up. The error is errStale.
func (b *seatBook) admit(now time.Time, p seatPromise, player uint64) error {
	s := b.holder(p, player)
	if s == nil || s.promised.IsZero() {
		return errStale
	}
	s.promised, s.asked = time.Time{}, false
	s.entering = now.Add(handshakeTimeout)
	return nil
}

// enter seats a client whose handshake has succeeded. back reports that the room waited for this client. ok is false if
// the client has no seat, which no admitted handshake leads to.
func (b *seatBook) enter(p seatPromise, player uint64, client uint32) (s bookSeat, back, ok bool) {
	x := b.holder(p, player)
	if x == nil && int(p.number) < len(b.seats) {
		// A newer promise was made since it was admitted: the seat is its own all the same.
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

// leave notes that a client has disconnected. waits reports whether the room waits for its player.
func (b *seatBook) leave(player uint64, client uint32, waits bool) {
	n, ok := b.byPlayer[player]
	if s := &b.seats[n]; ok && s.here && s.client == client {
		s.here, s.waits = false, waits && !s.leaving
		b.freeIfUnused(n)
	}
}

// stopWaiting notes that the room does not wait for a player any longer.
func (b *seatBook) stopWaiting(player uint64, client uint32) {
	n, ok := b.byPlayer[player]
	if s := &b.seats[n]; ok && s.waits && s.client == client {
		s.waits = false
		b.freeIfUnused(n)
	}
}

// kick takes a player's seat away: immediately, or, while its client is connected, as soon as that has left. It returns
// the number of the client, 0 for none. The error is ErrNoSeat.
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

// ban refuses all later reservations of a player. The caller kicks a player who has a seat.
func (b *seatBook) ban(player uint64) {
	if !slices.Contains(b.banned, player) {
		b.banned = append(b.banned, player)
	}
}

// newestBans returns the newest bans, at most n. The result must not be changed.
func (b *seatBook) newestBans(n int) []uint64 { return b.banned[max(len(b.banned)-n, 0):] }

// expire frees the seats of promises and handshakes that have run out at now.
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

// freeIfUnused frees a seat to which no player has a right.
func (b *seatBook) freeIfUnused(n int) {
	s := &b.seats[n]
	if s.player == 0 && s.since.IsZero() || s.state() != seatFree {
		return
	}
	b.freed = append(b.freed, *s)
	delete(b.byPlayer, s.player)
	*s = bookSeat{epoch: s.epoch}
}

// drainFreed returns the seats that were freed since the previous call, as they were before. The result is valid until
// the next change.
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
