package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"

	"github.com/tactusgo/tactus/netsys"
)

// A process that cannot renew its entry stops before its lease expires: new players get no seats in rooms that other processes
// know, players with a seat play on and may return, and rooms that no other process knows stay its own. When it can renew
// again, it has everything as before.
func TestFence(t *testing.T) {
	d := &moody{}
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "one"}, d)
	d.Memory = fleet.NewMemory(func() time.Time { return h.now })
	if h.server.Epoch() != 0 || h.server.Fenced() {
		t.Fatalf("epoch %d before it was claimed", h.server.Epoch())
	}
	p, a := h.entered("field", 1)
	h.run(time.Second)
	r := h.server.Room(a.Seat.Room)
	if h.server.Epoch() != 1 || r.Info().Orphaned {
		t.Fatalf("epoch %d, %+v", h.server.Epoch(), r.Info())
	}
	d.set(true)
	h.until("fenced", h.server.Fenced)
	if process := read[fleet.ProcessEntry](t, d, fleet.ProcessKey("one")); process.Epoch != 1 {
		t.Fatalf("%+v", process) // its lease has not run out
	}
	if _, err := r.Reserve(rooms.Player{ID: 2}); !errors.Is(err, rooms.ErrOrphaned) || !errors.Is(err, rooms.ErrUnavailable) || !r.Info().Orphaned || h.server.Epoch() != 0 {
		t.Errorf("%v, %+v, epoch %d", err, r.Info(), h.server.Epoch())
	}
	if _, err := r.Reconnect(rooms.Player{ID: 1}); err != nil || p.Err() != nil {
		t.Error(err, p.Err())
	}
	b := h.join("field", 3)
	if own := h.server.Room(b.Seat.Room); own == r || own.Info().Orphaned {
		t.Errorf("a room that nobody knows of is orphaned: %+v", own.Info())
	}
	if h.events[rooms.ProcessFenced] != 1 || h.events[rooms.ProcessBack] != 0 {
		t.Errorf("told %v", h.events)
	}
	d.set(false)
	h.run(time.Second)
	if h.server.Epoch() != 1 || h.server.Fenced() || r.Info().Orphaned || h.events[rooms.ProcessBack] != 1 {
		t.Errorf("epoch %d, %+v, told %v", h.server.Epoch(), r.Info(), h.events)
	}
	// Longer than its lease: the name is claimed again.
	d.set(true)
	h.run(12 * time.Second)
	d.set(false)
	h.run(2 * time.Second)
	room := read[rooms.RoomEntry](t, d, fleet.RoomKey(r.ID()))
	if h.server.Epoch() != 2 || r.Info().Orphaned || room.ProcessEpoch != 2 || room.Epoch != 1 || p.Err() != nil {
		t.Errorf("epoch %d, %+v, %+v, %v", h.server.Epoch(), r.Info(), room, p.Err())
	}
}

// The larger of two clocks counts, because machines sleep and clocks are set.
func TestFenceByBothClocks(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}}, nil)
	start := time.Now()
	h.now = start
	h.run(time.Second)
	h.now = h.now.Round(0).Add(7 * time.Second) // no reading of the clock for intervals
	if h.server.Fenced() {
		t.Error("fenced before its time")
	}
	h.now = h.now.Add(2 * time.Second)
	if !h.server.Fenced() {
		t.Error("not fenced")
	}
}

// The room of a dead process is created again by one other process, not before the lease has expired, under a higher epoch. If
// the dead process returns, it ends the room, notifies the room's players, and keeps rooms that nobody has claimed.
func TestClaim(t *testing.T) {
	var left []uint64
	var ended []error
	kind := fieldKind(2)
	kind.Left = func(_ *rooms.Room, s rooms.Seat) { left = append(left, s.Player) }
	kind.Ended = func(_ *rooms.Room, why error) { ended = append(ended, why) }
	d := &moody{}
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{kind}, Process: "one"}, d)
	d.Memory = fleet.NewMemory(func() time.Time { return h.now })
	two := h.another(rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "two"}, d.Memory)
	p, a := h.entered("field", 1)
	h.entered("field", 2)
	kept, _ := h.entered("field", 3)
	r := h.server.Room(a.Seat.Room)
	if err := r.Publish(rooms.Options{"map": "dust"}); err != nil {
		t.Fatal(err)
	}
	r.Ban(9)
	h.run(time.Second)
	was, ctx := read[rooms.RoomEntry](t, d, fleet.RoomKey(r.ID())), context.Background()
	if _, err := two.Claim(ctx, was); !errors.Is(err, fleet.ErrOwned) {
		t.Fatalf("a room of a process that is there: %v", err)
	}
	if same, err := h.server.Claim(ctx, was); same != r || err != nil {
		t.Fatalf("a room of its own: %v, %v", same, err)
	}
	d.set(true) // for this process alone
	h.until("fenced", h.server.Fenced)
	if _, err := two.Claim(ctx, was); !errors.Is(err, fleet.ErrOwned) {
		t.Fatalf("before the lease has run out: %v", err)
	}
	h.run(2 * time.Second)
	if _, err := two.Claim(ctx, rooms.RoomEntry{ID: 5, Kind: "field"}); !errors.Is(err, rooms.ErrEnded) {
		t.Errorf("a room that is nowhere: %v", err)
	}
	if _, err := two.Claim(ctx, rooms.RoomEntry{ID: was.ID, Kind: "none"}); !errors.Is(err, rooms.ErrKind) {
		t.Errorf("a room of no kind: %v", err)
	}
	other := was
	other.Epoch++
	if _, err := two.Claim(ctx, other); !errors.Is(err, fleet.ErrConflict) {
		t.Errorf("an entry that is not so: %v", err)
	}
	anew, err := two.Claim(ctx, was)
	if err != nil {
		t.Fatal(err)
	}
	if i := anew.Info(); i.ID != was.ID || i.Code != was.Code || i.Kind != was.Kind || i.Options["map"] != "dust" || i.Epoch != 2 || anew.Epoch() != 2 || i.Orphaned || i.Free() != 2 {
		t.Errorf("%+v of %+v", i, was)
	}
	if two.ByCode(was.Code) != anew || two.Room(was.ID) != anew {
		t.Error("it is not found")
	}
	if _, err := anew.Reserve(rooms.Player{ID: 9}); !errors.Is(err, rooms.ErrBanned) {
		t.Errorf("a player who was banned from the room before: %v", err)
	}
	three := h.another(rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "three"}, d.Memory)
	h.run(time.Second)
	if _, err := three.Claim(ctx, was); !errors.Is(err, fleet.ErrConflict) {
		t.Errorf("a second claim: %v", err)
	}
	b, err := anew.Reserve(rooms.Player{ID: 1})
	if err != nil || b[0].Seat.Epoch <= a.Seat.Epoch+1<<16 || b[0].Seat.Room != a.Seat.Room {
		t.Fatalf("%+v, %v", b, err)
	}
	h.run(time.Second)
	// It comes back.
	d.set(false)
	if !h.server.Fenced() || !r.Info().Orphaned {
		t.Errorf("it has a room that another one has: %+v", r.Info())
	}
	h.run(2 * time.Second)
	if h.server.Room(was.ID) != nil || len(ended) != 1 || !errors.Is(ended[0], fleet.ErrClaimed) {
		t.Fatalf("%v, ended %v", h.server.Rooms(), ended)
	}
	slices.Sort(left)
	if !slices.Equal(left, []uint64{1, 2}) {
		t.Errorf("left %v", left)
	}
	var ends *netsys.CloseError
	if !errors.As(p.Err(), &ends) || ends.Reason != rooms.ReasonClaimed {
		t.Errorf("the player heard %v", p.Err())
	}
	if e := read[rooms.RoomEntry](t, d, fleet.RoomKey(was.ID)); e.Process != "two" || e.Epoch != 2 {
		t.Errorf("%+v", e)
	}
	if h.server.Epoch() != 2 || kept.Err() != nil || h.server.Rooms()[0].Info().Orphaned {
		t.Errorf("epoch %d, %v", h.server.Epoch(), kept.Err())
	}
}

// Of two processes with one name, the second gets the name when the lease of the first has expired, and not earlier. The first
// then waits.
func TestOneName(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, nil)
	h.run(time.Second)
	twin := h.another(rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, nil)
	b, err := twin.Join("field", nil, rooms.Player{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	h.run(3 * time.Second)
	if h.server.Epoch() != 1 || twin.Epoch() != 0 || twin.Fenced() {
		t.Fatalf("epochs %d and %d", h.server.Epoch(), twin.Epoch())
	}
	h.still(15 * time.Second)
	if twin.Epoch() != 2 || !h.server.Fenced() {
		t.Fatalf("epoch %d, fenced %v", twin.Epoch(), h.server.Fenced())
	}
	h.run(12 * time.Second)
	if h.server.Epoch() != 0 || twin.Epoch() != 2 || read[fleet.ProcessEntry](t, h.directory, fleet.ProcessKey("one")).Epoch != 2 {
		t.Fatalf("epochs %d and %d", h.server.Epoch(), twin.Epoch())
	}
	_ = b
	if err := twin.Close(h.now); err != nil {
		t.Fatal(err)
	}
	h.others = nil
	h.run(2 * time.Second)
	if h.server.Epoch() != 3 {
		t.Errorf("epoch %d", h.server.Epoch())
	}
}

// Records of dead processes are removed when players have had time to find them. Claimed records stay.
func TestSweep(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, nil)
	d := h.directory
	kind := fieldKind(1)
	kind.Linger = -1
	two := h.another(rooms.Config{Kinds: []rooms.Kind{kind}, Process: "two"}, nil)
	_, a := h.entered("field", 1)
	_, b := h.entered("field", 2)
	h.run(time.Second)
	all := keys(t, d)
	h.still(fleet.ProcessLease + fleet.StayTime - 5*time.Second)
	if got := keys(t, d); len(got) != len(all)-1 {
		t.Errorf("%q are left of %q", got, all)
	}
	if _, err := two.Claim(context.Background(), read[rooms.RoomEntry](t, d, fleet.RoomKey(b.Seat.Room))); err != nil {
		t.Fatal(err)
	}
	h.still(15 * time.Second)
	if got, want := keys(t, d), []string{fleet.ProcessKey("two"), fleet.RoomKey(b.Seat.Room)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// One of them comes back, and its room, which nobody has claimed, is in the directory again.
	h.run(2 * time.Second)
	if e := read[rooms.RoomEntry](t, d, fleet.RoomKey(a.Seat.Room)); e.Epoch != 2 || e.ProcessEpoch != 2 || h.server.Room(a.Seat.Room) == nil || h.server.Room(b.Seat.Room) != nil {
		t.Errorf("%+v", e)
	}
}

// A record of another process under the key of a room is not overwritten.
func TestForeignEntries(t *testing.T) {
	for _, epoch := range []uint64{1, 9} {
		h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, nil)
		d := h.directory
		_, a := h.entered("field", 1)
		h.run(time.Second)
		key := fleet.RoomKey(a.Seat.Room)
		old, err := d.Load(context.Background(), key)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := json.Marshal(rooms.RoomEntry{ID: a.Seat.Room, Process: "four", ProcessEpoch: 1, Epoch: epoch})
		if _, err := d.Save(context.Background(), key, value, old.Revision, 0); err != nil {
			t.Fatal(err)
		}
		_ = h.server.Room(a.Seat.Room).Publish(rooms.Options{"map": "dust"})
		h.run(time.Second)
		if e := read[rooms.RoomEntry](t, d, key); e.Process != "four" || e.Epoch != epoch || h.server.Room(a.Seat.Room) != nil {
			t.Errorf("%+v, %v", e, h.server.Rooms())
		}
	}
}

// After a process has claimed its name again, it owns each room only once the room's record is written.
func TestRoomsAreOrphanedUntilWritten(t *testing.T) {
	d := &moody{}
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, d)
	d.Memory = fleet.NewMemory(func() time.Time { return h.now })
	_, a := h.entered("field", 1)
	h.run(time.Second)
	d.set(true)
	h.run(12 * time.Second)
	d.only = fleet.RoomPrefix
	h.run(time.Second)
	r := h.server.Room(a.Seat.Room)
	if h.server.Epoch() != 2 || !r.Info().Orphaned {
		t.Errorf("epoch %d, %+v", h.server.Epoch(), r.Info())
	}
	d.set(false)
	h.run(time.Second)
	if r.Info().Orphaned {
		t.Errorf("%+v", r.Info())
	}
}

// If a write was refused but may have been done, other processes may claim the room.
func TestRoomsThatMayBeKnown(t *testing.T) {
	d := &moody{only: fleet.RoomPrefix, lost: true}
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, d)
	d.Memory = fleet.NewMemory(func() time.Time { return h.now })
	d.set(true)
	_, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	h.run(time.Second)
	if r.Info().Orphaned || read[rooms.RoomEntry](t, d, fleet.RoomKey(r.ID())).Process != "one" {
		t.Fatalf("%+v", r.Info())
	}
	d.lost, d.only = false, ""
	h.until("fenced", h.server.Fenced)
	if !r.Info().Orphaned {
		t.Errorf("%+v", r.Info())
	}
	r.End(nil)
	d.set(false)
	h.run(time.Second)
	if got, want := keys(t, d), []string{fleet.ProcessKey("one")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A restarted process treats the records of its predecessor like those of any dead process: they are not its own, stay for a
// while, and may be claimed.
func TestRestart(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "one"}, nil)
	d := h.directory
	_, a := h.entered("field", 1)
	h.run(time.Second)
	twin := h.another(rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "one"}, nil)
	h.still(40 * time.Second)
	was := read[rooms.RoomEntry](t, d, fleet.RoomKey(a.Seat.Room))
	if twin.Epoch() != 2 || was.ProcessEpoch != 1 {
		t.Fatalf("epoch %d, %+v", twin.Epoch(), was)
	}
	r, err := twin.Claim(context.Background(), was)
	if err != nil || r.Epoch() != 2 {
		t.Fatal(err)
	}
}

// A record that a late write left under the claim of a process, but that the process does not publish, is removed. Published
// records stay.
func TestLateWritesGo(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, nil)
	d := h.directory
	h.entered("field", 1)
	h.run(time.Second)
	all := keys(t, d)
	value, _ := json.Marshal(rooms.RoomEntry{ID: 9, Kind: "field", Process: "one", ProcessEpoch: 1, Epoch: 1})
	if _, err := d.Save(context.Background(), fleet.RoomKey(9), value, 0, 0); err != nil {
		t.Fatal(err)
	}
	h.run(12 * time.Second)
	if got := keys(t, d); !slices.Equal(got, all) {
		t.Errorf("%q, want %q", got, all)
	}
}
