package rooms

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// Wish is what players want who come together.
type Wish struct {
	// Kind is the kind of room.
	Kind string
	// Options are what the room has to publish, equal; a new one does.
	Options Options
	// Schema is that of the client that they play with, as of [SchemaOf]. Default (""): any.
	Schema string
	// Players get their seats in one room, all or none.
	Players []Player
}

// Seats gives seats and finds rooms: [Here] those of this process, package lobby those of a fleet. Its methods may be
// called from any goroutine, and may wait.
type Seats interface {
	// Join gives players seats in an open room that publishes all of the options, the fullest that has place, or in a new
	// one. The error is that of [Room.Reserve], but for rooms that have no place, or of [Server.Create], or wraps
	// [ErrUnavailable].
	Join(ctx context.Context, w Wish) ([]Admission, error)
	// Create makes a room and gives players the first seats in it. The error is that of [Server.Create] or of
	// [Room.Reserve], or wraps [ErrUnavailable].
	Create(ctx context.Context, kind string, c Creation, who ...Player) ([]Admission, error)
	// Reserve is [Room.Reserve] of the room of that id: besides, [ErrRoom] and [ErrUnavailable].
	Reserve(ctx context.Context, room ID, who ...Player) ([]Admission, error)
	// Reconnect is [Room.Reconnect] of the room of that id: besides, [ErrRoom] and [ErrUnavailable].
	Reconnect(ctx context.Context, room ID, who Player) (Admission, error)
	// Find is the room of a code, in capitals or not, or of an id in letters.
	Find(name string) (RoomEntry, bool)
	// List are all rooms that have not ended, private ones too, by id.
	List() []RoomEntry
	// Kinds are the kinds of rooms: by name, and where they are made with several schemas, the newest first.
	Kinds() []KindEntry
	// Local reports whether players reach all rooms from this machine alone: see [Server.Local].
	Local() bool
	// Ready is why nobody new gets a room here, nil where they do: [ErrDraining], [ErrUnavailable].
	Ready() error
	// Draining reports whether this process drains. A lobby gives seats in other processes meanwhile.
	Draining() bool
}

// Unavailable is an error that is over after a while. It wraps [ErrUnavailable].
type Unavailable struct {
	// Again is after how long to try again.
	Again time.Duration
	// Err is what was wrong.
	Err error
}

// Error says what is wrong, and when to try again.
func (u *Unavailable) Error() string {
	return fmt.Sprintf("rooms: unavailable, try again in %v: %v", u.Again, u.Err)
}

// Unwrap are ErrUnavailable and what was wrong.
func (u *Unavailable) Unwrap() []error { return []error{ErrUnavailable, u.Err} }

// Here gives seats in the rooms of one server.
func Here(s *Server) Seats { return here{s} }

// here is a Seats.
type here struct{ server *Server }

// Join implements [Seats].
func (h here) Join(_ context.Context, w Wish) ([]Admission, error) {
	if _, err := h.server.findKind(w.Kind, w.Schema); err != nil {
		return nil, err
	}
	return h.server.Join(w.Kind, w.Options, w.Players...)
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
func (h here) Reserve(_ context.Context, room ID, who ...Player) ([]Admission, error) {
	r := h.server.Room(room)
	if r == nil {
		return nil, fmt.Errorf("%w: %v", ErrRoom, room)
	}
	return r.Reserve(who...)
}

// Reconnect implements [Seats].
func (h here) Reconnect(_ context.Context, room ID, who Player) (Admission, error) {
	r := h.server.Room(room)
	if r == nil {
		return Admission{}, fmt.Errorf("%w: %v", ErrRoom, room)
	}
	return r.Reconnect(who)
}

// Find implements [Seats].
func (h here) Find(name string) (RoomEntry, bool) {
	r := h.server.ByCode(name)
	if id, err := ParseID(name); err == nil {
		r = h.server.Room(id)
	}
	if r == nil {
		return RoomEntry{}, false
	}
	return r.entry(), true
}

// List implements [Seats].
func (h here) List() (all []RoomEntry) {
	for _, r := range h.server.Rooms() {
		if e := r.entry(); e.State != Ended {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b RoomEntry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Kinds implements [Seats].
func (h here) Kinds() []KindEntry { return slices.Clone(h.server.notes.kinds) }

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
	if m := s.Membership(); s.shared && !m.Member && !m.Fenced && !m.Named {
		return &Unavailable{Again: time.Second, Err: errNoMember}
	}
	return s.named()
}

var _ Seats = here{}

// seatService answers other processes, which ask for seats by way of the directory.
type seatService struct{ *Server }

var _ asks.House = seatService{}

// Answer implements [asks.House].
func (s seatService) Answer(ctx context.Context, b asks.Batch) asks.Answers {
	all := asks.Answers{Addresses: s.config.Addresses}
	all.Endpoints, _ = json.Marshal(s.config.Endpoints)
	for i := range b.Asks {
		got, err := s.answerAsk(ctx, &b.Asks[i])
		if err != nil {
			all.Answers = append(all.Answers, asks.Answer{Refused: refusal(err), Why: err.Error()})
			continue
		}
		of := &got[0]
		a := asks.Answer{
			Room: uint64(of.Seat.Room), Kind: of.Kind, Schema: of.Schema, Code: of.Code, Expires: of.Expires.Unix(), Issued: of.Expires.Add(-s.config.Promise).Unix(),
		}
		for _, x := range got {
			a.Seats = append(a.Seats, asks.Seat{Number: x.Seat.Number, Epoch: x.Seat.Epoch, Party: x.Seat.Party})
		}
		all.Answers = append(all.Answers, a)
	}
	return all
}

// answerAsk answers one request for seats.
func (s seatService) answerAsk(ctx context.Context, a *asks.Ask) ([]Admission, error) {
	h, id := here{s.Server}, ID(a.Room)
	who := make([]Player, len(a.Players))
	for i, p := range a.Players {
		who[i] = Player(p)
	}
	if a.Claim {
		var e RoomEntry
		switch revision, err := ledger.Find(ctx, s.config.Directory, RoomKey(id), &e); {
		case err != nil:
			return nil, err
		case revision == 0:
			return nil, ErrRoom
		}
		if _, err := h.server.Claim(ctx, e); err != nil {
			return nil, err
		}
	}
	switch a.Op {
	case asks.Join:
		return h.Join(ctx, Wish{a.Kind, a.Options, a.Schema, who})
	case asks.Create:
		return h.Create(ctx, a.Kind, Creation{a.Options, a.Private, a.Schema}, who...)
	case asks.Reserve:
		return h.Reserve(ctx, id, who...)
	case asks.Reconnect:
		if err := check(who); err != nil {
			return nil, err
		}
		x, err := h.Reconnect(ctx, id, who[0])
		return []Admission{x}, err
	}
	return nil, fmt.Errorf("%w: nobody knows the ask %.20q", ErrPlayer, a.Op)
}
