package seats

import (
	"errors"
	"slices"
	"time"
)

// Errors of a book.
var (
	ErrFull   = errors.New("rooms: the room is full")
	ErrBanned = errors.New("rooms: the player is banned from this room")
	ErrSeated = errors.New("rooms: the player has a seat in this room: reconnect to that")
	ErrNoSeat = errors.New("rooms: the player has no seat in this room")
	// ErrStale is of a promise that is not the newest of its seat, was used, or ran out.
	ErrStale = errors.New("rooms: this token does not open its seat any more: ask for another one")
)

const (
	// enterTime is how long a handshake may take from the first answer on that was let in; sessions give up before.
	enterTime = 10 * time.Second
	// greetTime is how long after the end of its promise a client may say hello that came with it in time.
	greetTime = 6 * time.Second
	// span is how many promises of one seat there are before their epochs repeat. Each room of an id has a span of its own;
	// those of rooms 4,096 apart are the same, and no token lives so long.
	span = 1 << 20
)

// Book is the seats of a room.
type Book struct {
	seats  []Seat
	span   uint32         // where the epochs begin
	of     map[uint64]int // by player
	banned []uint64       // players, in the order of their bans
	freed  []Seat         // since they were taken off the list
}

// New makes the seats of a room: the first of its id is room 1. The epochs of its seats are above all of the rooms before.
func New(capacity int, room uint64) *Book {
	b := &Book{seats: make([]Seat, capacity), span: uint32(room-1) * span, of: make(map[uint64]int)}
	for n := range b.seats {
		b.seats[n].Epoch = b.span
	}
	return b
}

// raise makes the promises of a seat that were made before those of an older epoch.
func (b *Book) raise(s *Seat) { s.Epoch = b.span + (s.Epoch-b.span+1)%span }

// Who wants a seat.
type Who struct{ Player, Party uint64 }

// Promise is a way to a seat.
type Promise struct {
	Number uint16
	Epoch  uint32
}

// Reserve promises a seat to each until then, or none: ErrSeated, ErrBanned, ErrFull.
func (b *Book) Reserve(now, until time.Time, dst []Promise, who ...Who) ([]Promise, error) {
	for i, w := range who {
		if _, has := b.of[w.Player]; has {
			return dst, ErrSeated
		}
		if slices.Contains(b.banned, w.Player) {
			return dst, ErrBanned
		}
		for _, other := range who[:i] {
			if other.Player == w.Player {
				return dst, ErrSeated
			}
		}
	}
	if b.Left() < len(who) {
		return dst, ErrFull
	}
	n := 0
	for _, w := range who {
		for b.seats[n].State() != Free {
			n++
		}
		dst = append(dst, b.promise(n, w, now, until))
	}
	return dst, nil
}

// promise promises a free seat.
func (b *Book) promise(n int, w Who, now, until time.Time) Promise {
	s := &b.seats[n]
	*s = Seat{Player: w.Player, Party: w.Party, Epoch: s.Epoch, Since: now, promised: until}
	b.raise(s)
	b.of[w.Player] = n
	return Promise{uint16(n), s.Epoch}
}

// Renew promises a player the seat that it has once more, until then; what was promised before lets nobody in. The
// session at hand, if there is one, goes on meanwhile.
func (b *Book) Renew(until time.Time, player uint64) (Promise, Seat, error) {
	n, ok := b.of[player]
	if !ok || b.seats[n].leaving {
		return Promise{}, Seat{}, ErrNoSeat
	}
	s := &b.seats[n]
	b.raise(s)
	s.promised, s.asked = until, false
	return Promise{uint16(n), s.Epoch}, *s, nil
}

// newest is the seat of a player, when the promise is its newest.
func (b *Book) newest(p Promise, player uint64) *Seat {
	if int(p.Number) >= len(b.seats) {
		return nil
	}
	if s := &b.seats[p.Number]; s.State() != Free && s.Player == player && s.Epoch == p.Epoch && !s.leaving {
		return s
	}
	return nil
}

// Asked notes that somebody came with a promise, so that its end does not come between its handshake and its seat.
func (b *Book) Asked(p Promise, player uint64) {
	if s := b.newest(p, player); s != nil && !s.promised.IsZero() {
		s.asked = true
	}
}

// Admit lets in the handshake of a player with a promise, which it uses up: ErrStale.
func (b *Book) Admit(now time.Time, p Promise, player uint64) error {
	s := b.newest(p, player)
	if s == nil || s.promised.IsZero() {
		return ErrStale
	}
	s.promised, s.asked = time.Time{}, false
	s.entering = now.Add(enterTime)
	return nil
}

// Enter seats a client whose handshake has ended well. back says that it was waited for. It reports false where it has
// no seat, which no handshake that was admitted leads to.
func (b *Book) Enter(p Promise, player uint64, client uint32) (s Seat, back, ok bool) {
	x := b.newest(p, player)
	if x == nil && int(p.Number) < len(b.seats) {
		// A newer promise was made since it was admitted: the seat is its own all the same.
		if y := &b.seats[p.Number]; y.Player == player && !y.entering.IsZero() {
			x = y
		}
	}
	if x == nil || x.entering.IsZero() {
		return Seat{}, false, false
	}
	back = x.waits && x.Client == client
	x.here, x.waits, x.Client, x.entering = true, false, client, time.Time{}
	return *x, back, true
}

// Leave is told of a client that is no longer connected, and whether its player is waited for.
func (b *Book) Leave(player uint64, client uint32, waits bool) {
	n, ok := b.of[player]
	if s := &b.seats[n]; ok && s.here && s.Client == client {
		s.here, s.waits = false, waits && !s.leaving
		b.settle(n)
	}
}

// Gone is told of a player that is not waited for any longer.
func (b *Book) Gone(player uint64, client uint32) {
	n, ok := b.of[player]
	if s := &b.seats[n]; ok && s.waits && s.Client == client {
		s.waits = false
		b.settle(n)
	}
}

// Kick takes a player's seat away: at once, or, while its client is connected, when that has left. It returns the number
// of that client, 0 for none.
func (b *Book) Kick(player uint64) (client uint32, err error) {
	n, ok := b.of[player]
	if !ok {
		return 0, ErrNoSeat
	}
	s := &b.seats[n]
	s.promised, s.entering, s.waits = time.Time{}, time.Time{}, false
	b.raise(s)
	if s.here {
		s.leaving = true
		return s.Client, nil
	}
	b.settle(n)
	return 0, nil
}

// Ban does not let a player reserve a seat any more; one that has a seat is to be kicked.
func (b *Book) Ban(player uint64) {
	if !slices.Contains(b.banned, player) {
		b.banned = append(b.banned, player)
	}
}

// Banned returns the newest bans, at most n. The result must not be changed.
func (b *Book) Banned(n int) []uint64 { return b.banned[max(len(b.banned)-n, 0):] }

// Expire frees what was promised to players who did not come.
func (b *Book) Expire(now time.Time) {
	for n := range b.seats {
		s := &b.seats[n]
		if late := s.promised; !late.IsZero() {
			if s.asked {
				late = late.Add(greetTime)
			}
			if !now.Before(late) {
				s.promised, s.asked = time.Time{}, false
				b.settle(n)
			}
		}
		if !s.entering.IsZero() && !now.Before(s.entering) {
			s.entering = time.Time{}
			b.settle(n)
		}
	}
}

// settle frees a seat that nobody has a right to any more.
func (b *Book) settle(n int) {
	s := &b.seats[n]
	if s.Player == 0 && s.Since.IsZero() || s.State() != Free {
		return
	}
	b.freed = append(b.freed, *s)
	delete(b.of, s.Player)
	*s = Seat{Epoch: s.Epoch}
}

// Freed are the seats that have become free since it was asked last, as they were; valid until the next change.
func (b *Book) Freed() []Seat {
	f := b.freed
	b.freed = b.freed[:0]
	return f
}

// Of is the seat of a player.
func (b *Book) Of(player uint64) (number uint16, s Seat, ok bool) {
	n, ok := b.of[player]
	if !ok {
		return 0, Seat{}, false
	}
	return uint16(n), b.seats[n], true
}

// All are the seats, by number. They must not be changed.
func (b *Book) All() []Seat { return b.seats }

// Left is how many seats are free.
func (b *Book) Left() int { return len(b.seats) - len(b.of) }

// Counts are how many seats are in which state.
func (b *Book) Counts() (c [len(names)]int) {
	for i := range b.seats {
		c[b.seats[i].State()]++
	}
	return c
}
