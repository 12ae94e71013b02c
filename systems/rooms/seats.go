package rooms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Wish is a request for seats in one room.
type Wish struct {
	// Kind is the kind of room.
	Kind string
	// Options must be published by the room with equal values. A new room publishes them.
	Options Options
	// Schema is the [SchemaOf] of the client. Default (""): any.
	Schema string
	// Players get seats in one room, all or none.
	Players []Player
	// Leaves is the room that the players leave: they get no seats there, and no tokens for the seats that they have. Default (0): none.
	Leaves ID
}

// Seats gives seats and finds rooms: [Here] in one process, package fleet in all processes of a fleet. Its methods may be called
// from any goroutine, and may wait.
type Seats interface {
	// Join gives players seats in the fullest open room that publishes the options and has enough seats, or in a new room. Players
	// who have seats in such a room get tokens for these, as from Renew. The error is that of [Room.Reserve] or [Server.Create], or
	// wraps [ErrUnavailable].
	Join(ctx context.Context, w Wish) ([]Admission, error)
	// Renew returns other tokens, as [Room.Reconnect] does, for the seats that all players of a wish have in one room of the kind
	// that is not private and publishes the options. Seats of connected players count in open rooms only, and not at all if away is
	// set. The error wraps [ErrNoSeat] or [ErrUnavailable], or is that of [Room.Reconnect].
	Renew(ctx context.Context, w Wish, away bool) ([]Admission, error)
	// Create creates a room and gives players the first seats. The error is that of [Server.Create] or [Room.Reserve], or wraps
	// [ErrUnavailable].
	Create(ctx context.Context, kind string, c Creation, who ...Player) ([]Admission, error)
	// Reserve calls [Room.Reserve] of the room with that id. More errors: [ErrRoom], [ErrUnavailable].
	Reserve(ctx context.Context, room ID, who ...Player) ([]Admission, error)
	// Reconnect calls [Room.Reconnect] of the room with that id. More errors: [ErrRoom], [ErrUnavailable].
	Reconnect(ctx context.Context, room ID, who Player) (Admission, error)
	// Spectate calls [Room.Spectate] of the room with that id. More errors: [ErrRoom], [ErrUnavailable].
	Spectate(ctx context.Context, room ID, who Player) (Admission, error)
	// Find returns the room with a code, in any case, or with an id in letters.
	Find(name string) (RoomEntry, bool)
	// List returns all rooms that have not ended, with private ones, by id.
	List() []RoomEntry
	// Kinds returns the kinds of rooms by name. If there are several schemas of a kind, the newest comes first.
	Kinds() []KindEntry
	// Local reports whether all rooms can be reached from this machine only: see [Server.Local].
	Local() bool
	// Ready returns nil if new players get rooms here, otherwise [ErrDraining] or [ErrUnavailable].
	Ready() error
	// Draining reports whether this process drains. A fleet gives seats in other processes meanwhile.
	Draining() bool
}

// Unavailable is a temporary error. It wraps [ErrUnavailable].
type Unavailable struct {
	// Again is after how long to try again.
	Again time.Duration
	// Err is the reason.
	Err error
}

// Error returns the reason and when to try again.
func (u *Unavailable) Error() string {
	return fmt.Sprintf("rooms: unavailable, try again in %v: %v", u.Again, u.Err)
}

// Unwrap returns ErrUnavailable and the reason.
func (u *Unavailable) Unwrap() []error { return []error{ErrUnavailable, u.Err} }

// Here returns the seats of one server.
func Here(s *Server) Seats { return here{s} }

// here implements [Seats] for one server.
type here struct{ server *Server }

// Join implements [Seats].
func (h here) Join(_ context.Context, w Wish) ([]Admission, error) { return h.server.join(w) }

// Renew implements [Seats].
func (h here) Renew(_ context.Context, w Wish, away bool) ([]Admission, error) {
	k, err := h.server.findKind(w.Kind, w.Schema)
	if err == nil {
		err = w.clean()
	}
	if err != nil {
		return nil, err
	}
	return h.server.renew(k, &w, away)
}

// Create implements [Seats].
func (h here) Create(_ context.Context, kind string, c Creation, who ...Player) ([]Admission, error) {
	if err := check(who); err != nil {
		return nil, err
	}
	_, all, err := h.server.createRoom(kind, c, who)
	if counter := h.server.counts[kind]; counter != nil {
		count(counter, len(who), err)
	}
	return all, err
}

// Reserve implements [Seats].
func (h here) Reserve(ctx context.Context, room ID, who ...Player) ([]Admission, error) {
	r, err := h.server.Continue(ctx, room)
	if err != nil {
		return nil, err
	}
	return r.Reserve(who...)
}

// Reconnect implements [Seats].
func (h here) Reconnect(ctx context.Context, room ID, who Player) (Admission, error) {
	r, err := h.server.Continue(ctx, room)
	if err != nil {
		return Admission{}, err
	}
	return r.Reconnect(who)
}

// Spectate implements [Seats].
func (h here) Spectate(ctx context.Context, room ID, who Player) (Admission, error) {
	r, err := h.server.Continue(ctx, room)
	if err != nil {
		return Admission{}, err
	}
	return r.Spectate(who)
}

// Find implements [Seats].
func (h here) Find(name string) (RoomEntry, bool) {
	r := h.server.ByCode(name)
	if id, err := ParseID(name); err == nil {
		if r, err = h.server.Continue(context.Background(), id); errors.Is(err, ErrUnavailable) {
			return RoomEntry{ID: id}, true // a request for a seat gets the error
		}
	}
	if r == nil {
		return RoomEntry{}, false
	}
	return r.Entry(), true
}

// List implements [Seats].
func (h here) List() (all []RoomEntry) {
	for _, r := range h.server.Rooms() {
		if e := r.Entry(); e.State != Ended {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b RoomEntry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Kinds implements [Seats].
func (h here) Kinds() (all []KindEntry) {
	for _, k := range h.server.kinds {
		all = append(all, k.entry())
	}
	slices.SortFunc(all, func(a, b KindEntry) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}

// Local implements [Seats].
func (h here) Local() bool { return h.server.Local() }

// Draining implements [Seats].
func (h here) Draining() bool { return h.server.Draining() }

// Ready implements [Seats].
func (h here) Ready() error {
	s := h.server
	if s.Draining() {
		return ErrDraining
	}
	if m := s.Membership(); s.fleet != nil && !m.Member && !m.Fenced && !m.Named {
		return &Unavailable{Again: time.Second, Err: errNoMember}
	}
	return s.mayAdmit()
}

var _ Seats = here{}
