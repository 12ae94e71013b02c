package fleet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// saves is a store in memory.
type saves struct {
	data  map[rooms.ID][]byte
	epoch map[rooms.ID]uint64
}

func newSaves() *saves {
	return &saves{data: make(map[rooms.ID][]byte), epoch: make(map[rooms.ID]uint64)}
}

func (s *saves) Put(_ context.Context, id rooms.ID, epoch uint64, data []byte) error {
	if epoch < s.epoch[id] {
		return rooms.ErrStale
	}
	s.data[id], s.epoch[id] = data, epoch
	return nil
}

func (s *saves) Get(_ context.Context, id rooms.ID) ([]byte, error) {
	if s.epoch[id] == 0 {
		return nil, rooms.ErrNoSave
	}
	return s.data[id], nil
}

func (s *saves) Delete(_ context.Context, id rooms.ID, epoch uint64) error {
	if epoch >= s.epoch[id] {
		delete(s.data, id)
		delete(s.epoch, id)
	}
	return nil
}

// saved is a process with rooms that are saved in a store.
func saved(s rooms.Store, name string) rooms.Config {
	kind := fieldKind(4)
	kind.Linger = -1
	return rooms.Config{Kinds: []rooms.Kind{kind}, Process: name, Store: s}
}

// owners returns where the clients of a room are, by number.
func owners(t testing.TB, r *rooms.Room) map[uint32]float32 {
	t.Helper()
	all := make(map[uint32]float32)
	if err := r.Do(func(s *systems.Server) {
		for _, row := range ecs.All[struct {
			At    roomstest.Place
			Owner components.Owner
		}](s.World()) {
			all[row.Owner.Client] = row.At.X
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// A process stands still in the middle of matches. Another one claims a room when its player returns, and continues it from its
// last save, with all seats. The process that comes back ends its room, and does not overwrite the saves of the other one.
func TestClaimContinues(t *testing.T) {
	for after := range 4 {
		store := newSaves()
		h := newWorld(t, saved(store, "one"), nil)
		two := h.another(saved(store, "two"), nil)
		p, a := h.entered("field", 1)
		_, b := h.entered("field", 2)
		r := h.server.Room(a.Seat.Room)
		if err := r.Do(func(s *systems.Server) {
			for _, row := range ecs.Each[struct {
				At    *roomstest.Place
				Owner *components.Owner
			}](s.World()) {
				row.At.X = 10 * float32(row.Owner.Client)
			}
		}); err != nil {
			t.Fatal(err)
		}
		h.run(time.Duration(6000+1270*after) * time.Millisecond)
		r.Lock()
		h.run(50 * time.Millisecond)
		before, tick, epoch := owners(t, r), p.ServerTick(), r.Epoch()
		h.still(12 * time.Second)
		again, err := two.fleet.Reconnect(context.Background(), a.Seat.Room, rooms.Player{ID: 1})
		if err != nil || again.Process != "two" || again.Loaded == 0 || tick-again.Loaded > 5*20 || again.Seat.Number != a.Seat.Number {
			t.Fatalf("%+v after tick %d: %v", again, tick, err)
		}
		anew := two.Room(a.Seat.Room)
		for client, x := range owners(t, anew) {
			if was := before[client]; x != was || x == 0 {
				t.Errorf("client %d is at %v, before at %v", client, x, was)
			}
			delete(before, client)
		}
		if i := anew.Info(); len(before) > 0 || i.Waiting != 2 || i.State != rooms.Locked || i.Epoch != epoch+1 {
			t.Errorf("%+v, without clients %v", i, before)
		}
		if b, err = two.fleet.Reconnect(context.Background(), b.Seat.Room, rooms.Player{ID: 2}); err != nil {
			t.Fatal(err)
		}
		h.run(6 * time.Second) // the first process is back
		if ends, ok := errors.AsType[*netsys.CloseError](p.Err()); h.server.Room(a.Seat.Room) != nil || p.Err() == nil || ok && ends.Reason != rooms.ReasonClaimed {
			t.Errorf("the player of the process that is back: %v", p.Err())
		}
		if e := read[fleet.PlayerEntry](t, h.directory, fleet.PlayerKey(2)); e.Process != "two" {
			t.Errorf("%+v", e)
		}
		h.server = two
		h.others = nil
		h.still(12 * time.Second)
		three := h.another(saved(store, "three"), nil)
		h.still(2 * time.Second)
		last, err := three.fleet.Reconnect(context.Background(), a.Seat.Room, rooms.Player{ID: 1})
		if err != nil || last.Loaded <= again.Loaded || three.Room(a.Seat.Room).Epoch() != epoch+2 {
			t.Errorf("%+v, %v", last, err)
		}
	}
}

// storeOf is a store that fails on command.
type storeOf struct {
	rooms.Store
	err, putErr error
}

func (s *storeOf) Put(ctx context.Context, id rooms.ID, epoch uint64, data []byte) error {
	if s.putErr != nil {
		return s.putErr
	}
	return s.Store.Put(ctx, id, epoch, data)
}

func (s *storeOf) Get(ctx context.Context, id rooms.ID) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.Store.Get(ctx, id)
}

// While the store does not answer, a room is not claimed without its world: players are to try again.
func TestClaimWaitsForStore(t *testing.T) {
	store := &storeOf{Store: newSaves()}
	h := newWorld(t, saved(store, "one"), nil)
	two := h.another(saved(store, "two"), nil)
	_, a := h.entered("field", 1)
	h.run(6 * time.Second)
	h.still(12 * time.Second)
	store.err = errors.New("unreachable")
	if _, err := two.fleet.Reconnect(context.Background(), a.Seat.Room, rooms.Player{ID: 1}); !errors.Is(err, rooms.ErrUnavailable) || len(two.Rooms()) != 0 {
		t.Fatalf("%v, %d rooms", err, len(two.Rooms()))
	}
	store.err = nil
	if again, err := two.fleet.Reconnect(context.Background(), a.Seat.Room, rooms.Player{ID: 1}); err != nil || again.Loaded == 0 {
		t.Fatalf("%+v, %v", again, err)
	}
}
