package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// keys returns the keys of a directory, except the epochs of names.
func keys(t *testing.T, d fleet.Directory) (all []string) {
	t.Helper()
	list, err := d.List(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if !strings.HasPrefix(r.Key, "epoch.") {
			all = append(all, r.Key)
		}
	}
	return all
}

func read[T any](t *testing.T, d fleet.Directory, key string) (v T) {
	t.Helper()
	r, err := d.Load(context.Background(), key)
	if err == nil {
		err = json.Unmarshal(r.Value, &v)
	}
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return v
}

// The directory has the current records of this process and its rooms, and none of them afterwards.
func TestDirectoryFollowsTheRooms(t *testing.T) {
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(2)}, Process: "one"}, nil)
	d := h.directory
	p, a := h.entered("field", 7)
	h.run(2 * time.Second)
	r := h.server.Room(a.Seat.Room)
	if err := r.Publish(rooms.Options{"map": "dust", "level": 3}); err != nil {
		t.Fatal(err)
	}
	h.run(step)
	if got, want := keys(t, d), []string{fleet.ProcessKey("one"), fleet.RoomKey(r.ID())}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	process := read[fleet.ProcessEntry](t, d, fleet.ProcessKey("one"))
	if process.Process != "one" || process.Rooms != 1 || process.Players != 1 || len(process.Addresses) != 1 || !slices.Equal(process.Kinds, []rooms.KindEntry{{Kind: "field", Schema: rooms.SchemaOf(roomstest.Field()), Capacity: 2}}) || process.Endpoints.UDP != process.Addresses[0].String() || process.Draining || len(process.Fingerprint) != 32 || process.Fingerprint != h.server.fleet.Fingerprint() {
		t.Errorf("%+v", process)
	}
	room := read[rooms.RoomEntry](t, d, fleet.RoomKey(r.ID()))
	if room.ID != r.ID() || room.Kind != "field" || room.Process != "one" || room.State != rooms.Open || room.Capacity != 2 || room.Free != 1 || room.Options["map"] != "dust" || room.Options["level"] != 3.0 {
		t.Errorf("%+v", room)
	}
	if err := p.Close(h.now); err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	if got, want := keys(t, d), []string{fleet.ProcessKey("one"), fleet.RoomKey(r.ID())}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	h.server.Drain()
	h.run(2 * time.Second)
	if process := read[fleet.ProcessEntry](t, d, fleet.ProcessKey("one")); !process.Draining || process.Rooms != 0 {
		t.Errorf("%+v", process)
	}
	if got, want := keys(t, d), []string{fleet.ProcessKey("one")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := h.server.Close(h.now); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, d); len(got) != 0 {
		t.Errorf("%q is left of a process that has ended", got)
	}
}

// moody is a directory that takes no writes for a while.
type moody struct {
	*fleet.Memory
	mu   sync.Mutex
	down bool
	only string // keys that are meant; "": all
	lost bool   // it is done all the same
}

func (m *moody) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

func (m *moody) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down && strings.HasPrefix(key, m.only) {
		if m.lost {
			_, _ = m.Memory.Save(ctx, key, value, revision, lease)
		}
		return 0, rooms.ErrUnavailable
	}
	return m.Memory.Save(ctx, key, value, revision, lease)
}

func (m *moody) Remove(ctx context.Context, key string, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down && strings.HasPrefix(key, m.only) {
		return rooms.ErrUnavailable
	}
	return m.Memory.Remove(ctx, key, revision)
}

// While the directory accepts no writes, rooms play on and players join. Afterwards it has the current records.
func TestDirectoryComesBack(t *testing.T) {
	d := &moody{}
	h := newWorld(t, rooms.Config{Kinds: []rooms.Kind{fieldKind(1)}, Process: "one"}, d)
	d.Memory = fleet.NewMemory(func() time.Time { return h.now })
	p, a := h.entered("field", 1)
	h.run(time.Second)
	d.set(true)
	if err := p.Close(h.now); err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	first := h.server.Room(a.Seat.Room)
	first.End(nil)
	q, b := h.entered("field", 2)
	h.run(12 * time.Second)
	if q.Err() != nil || b.Seat.Room == a.Seat.Room {
		t.Fatal(q.Err(), b.Seat)
	}
	if _, err := d.Load(context.Background(), fleet.ProcessKey("one")); !errors.Is(err, fleet.ErrAbsent) {
		t.Errorf("its lease has not run out: %v", err)
	}
	d.set(false)
	h.run(3 * time.Second)
	if got, want := keys(t, d), []string{fleet.ProcessKey("one"), fleet.RoomKey(b.Seat.Room)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if process := read[fleet.ProcessEntry](t, d, fleet.ProcessKey("one")); process.Rooms != 1 || process.Epoch != 2 {
		t.Errorf("%+v", process)
	}
}
