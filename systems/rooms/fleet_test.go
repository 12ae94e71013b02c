package rooms

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// stubFleet connects the servers of a test. Its seats are those of the test.
type stubFleet struct {
	Seats
	orphaned bool
	refusal  error
	member   Membership
	changes  atomic.Int32
}

var _ Fleet = (*stubFleet)(nil)

func (f *stubFleet) HandOver(context.Context, *Room, uint32, []Player) ([]Admission, error) {
	return nil, ErrUnavailable
}
func (f *stubFleet) RoomChanged(*Room)             { f.changes.Add(1) }
func (f *stubFleet) ProcessChanged()               {}
func (f *stubFleet) Orphaned(*Room) bool           { return f.orphaned }
func (f *stubFleet) MayAdmit() error               { return f.refusal }
func (f *stubFleet) Membership() Membership        { return f.member }
func (f *stubFleet) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (f *stubFleet) Advance(time.Time)             {}
func (f *stubFleet) Withdraw()                     {}

// Restore creates the room of a dead process with its id, code, epoch, options and bans. The fleet claims it before anybody
// can find it. A room that could not be created counts as ended.
func TestRestore(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}})
	f := &stubFleet{Seats: Here(h.server)}
	link := h.server.Connect(f)
	e := RoomEntry{ID: 77, Kind: "field", Code: "abcdef", Private: true, Epoch: 3, RoomState: RoomState{Options: Options{"map": "dust"}, Banned: []uint64{9}}}
	refused := errors.New("another process was faster")
	var failed *Room
	if _, err := link.Restore(t.Context(), e, 0, func(r *Room) error { failed = r; return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	select {
	case <-failed.Done():
	default:
		t.Error("a room that was not created has not ended")
	}
	if h.server.Room(77) != nil || f.changes.Load() != 1 {
		t.Fatalf("%v, %d changes", h.server.Rooms(), f.changes.Load())
	}
	r, err := link.Restore(t.Context(), e, 0, func(*Room) error {
		if h.server.Room(77) != nil || h.server.ByCode("abcdef") != nil {
			t.Error("the room is found before it is claimed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Info(); i.ID != 77 || i.Code != "abcdef" || !i.Private || i.Epoch != 3 || i.Options["map"] != "dust" || h.server.Room(77) != r || h.events[RoomClaimed] != 1 {
		t.Errorf("%+v, %v", i, h.events)
	}
	if _, err := r.Reserve(Player{ID: 9}); !errors.Is(err, ErrBanned) {
		t.Errorf("a player who was banned before: %v", err)
	}
	for what, other := range map[error]RoomEntry{ErrKind: {ID: 5, Kind: "chess"}, ErrSchema: {ID: 5, Kind: "field", Schema: "7"}} {
		if _, err := link.Restore(t.Context(), other, 0, func(*Room) error { return nil }); !errors.Is(err, what) {
			t.Errorf("%v: %v", what, err)
		}
	}
	link.RaiseEpoch(r)
	link.Lose(r, refused)
	h.run(time.Second)
	if h.server.Room(77) != nil || r.Epoch() != 4 {
		t.Errorf("a lost room goes on: %+v", r.Info())
	}
}

// A fleet decides whether a process, and a room, give new seats.
func TestFleetRefuses(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}})
	f := &stubFleet{Seats: Here(h.server)}
	h.server.Connect(f)
	if err := Here(h.server).Ready(); !errors.Is(err, ErrUnavailable) {
		t.Errorf("ready before the process is a member: %v", err)
	}
	f.member.Member = true
	if err := Here(h.server).Ready(); err != nil || h.server.Membership() != f.member {
		t.Error(err)
	}
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	f.orphaned = true
	if _, err := r.Reserve(Player{ID: 1}); !errors.Is(err, ErrOrphaned) || !r.Info().Orphaned {
		t.Errorf("%v, %+v", err, r.Info())
	}
	f.refusal = ErrUnavailable
	if _, err := h.server.Join("field", nil, Player{ID: 1}); !errors.Is(err, ErrUnavailable) || Here(h.server).Ready() == nil {
		t.Error(err)
	}
	f.orphaned, f.refusal = false, nil
	if a := h.join("field", 1); a.Seat.Room != r.ID() {
		t.Errorf("%+v", a.Seat)
	}
}
