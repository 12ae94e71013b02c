package fleet_test

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
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

// saved returns a process with rooms that are saved in a store.
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

// A process stalls during matches. Another one claims a room when its player returns, and continues it from its last save with
// all seats. When the first process comes back, it ends its room and does not overwrite the saves of the other one.
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
	err, putErr, deleteErr error
}

func (s *storeOf) Delete(ctx context.Context, id rooms.ID, epoch uint64) error {
	if s.deleteErr != nil {
		return s.deleteErr
	}
	return s.Store.Delete(ctx, id, epoch)
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

// The record of a room is removed a minute after its process has died. The room is then found by its id and claimed from its
// save as long as the save exists, by one process, with its code, bans and lock.
func TestClaimWithoutRecord(t *testing.T) {
	store, ctx := &storeOf{Store: newSaves()}, context.Background()
	h := newWorld(t, saved(store, "one"), nil)
	two, three := h.another(saved(store, "two"), nil), h.another(saved(store, "three"), nil)
	_, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	r.Ban(9)
	r.Lock()
	h.run(6 * time.Second)
	four := h.another(saved(store, "four"), nil) // it has not heard of any room
	if e, ok := four.fleet.Find(r.ID().String()); !ok || e.Process != "one" {
		t.Errorf("a new process finds %+v, %v", e, ok)
	}
	h.still(fleet.ProcessLease + fleet.StayTime + 10*time.Second)
	if _, err := h.directory.Load(ctx, fleet.RoomKey(r.ID())); !errors.Is(err, fleet.ErrAbsent) {
		t.Fatalf("the record is there: %v", err)
	}
	store.err = errors.New("unreachable")
	if _, ok := two.fleet.Find(r.ID().String()); !ok {
		t.Error("it is not found while the store does not answer")
	}
	if _, err := two.fleet.Reconnect(ctx, r.ID(), rooms.Player{ID: 1}); !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("while the store does not answer: %v", err)
	}
	store.err = nil
	if e, ok := two.fleet.Find(r.ID().String()); !ok || e.Code != r.Code() || e.Schema == "" {
		t.Errorf("%+v, %v", e, ok)
	}
	if _, ok := two.fleet.Find(rooms.ID(5).String()); ok {
		t.Error("a room that never was is found")
	}
	first, err := two.fleet.Reconnect(ctx, r.ID(), rooms.Player{ID: 1})
	if err != nil || first.Loaded == 0 || first.Code != a.Code {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := three.fleet.Reconnect(ctx, r.ID(), rooms.Player{ID: 1})
	if err != nil || second.Process != first.Process {
		t.Fatalf("%+v, %v", second, err)
	}
	anew := four.Room(r.ID())
	for _, s := range h.others {
		anew = cmp.Or(anew, s.Room(r.ID()))
	}
	if i := anew.Info(); i.State != rooms.Locked || i.Waiting != 1 || i.Epoch != 2 {
		t.Errorf("%+v", i)
	}
	h.run(2 * time.Second) // the first process is back, and hears of it
	if h.server.Room(r.ID()) != nil || anew.Epoch() != 2 {
		t.Errorf("the room has two owners, %+v", anew.Info())
	}
	// A room that has ended is not claimed, at no moment.
	anew.End(nil)
	for range 300 {
		if _, err := h.server.fleet.Reconnect(ctx, r.ID(), rooms.Player{ID: 1}); err == nil {
			t.Fatal("it is continued after its end")
		}
		h.run(step)
	}
	if _, ok := two.fleet.Find(r.ID().String()); ok {
		t.Error("it is found after its end")
	}
}

// Players who ask for a room while it is being claimed, when the directory already has its record, get their seats too.
func TestAskWhileClaiming(t *testing.T) {
	store, ctx := newSaves(), context.Background()
	h := newWorld(t, saved(store, "one"), nil)
	var two *fleetServer
	answer := make(chan error, 1)
	c := saved(store, "two")
	c.Kinds[0].Created = func(r *rooms.Room, _ *ecs.World) error {
		two.fleet.Advance(h.now)
		if _, ok := two.fleet.Find(r.ID().String()); !ok {
			t.Error("the room is not found")
		}
		go func() {
			_, err := two.fleet.Reconnect(ctx, r.ID(), rooms.Player{ID: 2})
			answer <- err
		}()
		select {
		case err := <-answer:
			t.Fatalf("answered before the room is there: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		return nil
	}
	two = h.another(c, nil)
	_, a := h.entered("field", 1)
	h.entered("field", 2)
	h.run(6 * time.Second)
	h.still(12 * time.Second)
	if _, err := two.fleet.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 1}); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Error(err)
	}
}

// A save that is not deleted yet does not make others continue a room that has ended: its record stays until then.
func TestEndWhileStoreFails(t *testing.T) {
	store, ctx := &storeOf{Store: newSaves()}, context.Background()
	h := newWorld(t, saved(store, "one"), nil)
	two := h.another(saved(store, "two"), nil)
	_, a := h.entered("field", 1)
	h.run(6 * time.Second)
	store.deleteErr = errors.New("unreachable")
	h.server.Room(a.Seat.Room).End(nil)
	for range 500 {
		h.run(step)
		if _, err := two.fleet.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 1}); !errors.Is(err, rooms.ErrRoom) {
			t.Fatal(err)
		}
	}
	store.deleteErr = nil
	h.run(time.Second)
	if got := keys(t, h.directory); len(got) != 2 {
		t.Errorf("%q", got)
	}
	if _, err := store.Get(ctx, a.Seat.Room); !errors.Is(err, rooms.ErrNoSave) {
		t.Error(err)
	}
}

// A process with another version of the game continues a room whose process has died, if none has the version of the room.
func TestClaimByAnotherVersion(t *testing.T) {
	for _, after := range []time.Duration{12 * time.Second, fleet.ProcessLease + fleet.StayTime + 10*time.Second} {
		store, ctx := newSaves(), context.Background()
		h := newWorld(t, saved(store, "one"), nil)
		c := saved(store, "two")
		c.Kinds[0].Protocol = hats
		two := h.another(c, nil)
		_, a := h.entered("field", 1)
		h.run(6 * time.Second)
		h.still(after)
		e, ok := two.fleet.Find(a.Seat.Room.String())
		again, err := two.fleet.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 1})
		if !ok || e.Schema != "" || err != nil || again.Loaded == 0 || again.Schema != rooms.SchemaOf(hats()) {
			t.Errorf("after %v: %+v, %+v, %v", after, e, again, err)
		}
	}
}

// An older version of the game cannot continue the rooms of a dead process. Players are told to try again, never that there is no such
// room, and the newer version continues the rooms when it is back.
func TestRollback(t *testing.T) {
	store, ctx := newSaves(), context.Background()
	newer := func(name string) rooms.Config {
		c := saved(store, name)
		c.Kinds[0].Protocol = hats
		c.Kinds[0].Created = func(r *rooms.Room, w *ecs.World) error {
			if r.Loaded() == 0 {
				w.Spawn(roomstest.Place{}, hat{3})
			}
			return nil
		}
		return c
	}
	h := newWorld(t, newer("one"), nil)
	two, three := h.another(saved(store, "two"), nil), h.another(saved(store, "three"), nil)
	var room rooms.ID
	for id := range uint64(3) {
		a := h.join("field", id+1)
		room = a.Seat.Room
		c, err := systems.NewClient(h.net.Node(netip.AddrPort{}), netip.AddrPort{}, hats(), systems.ClientConfig{
			Session: systems.ClientSession{Token: a.Token}, Start: h.now, Gather: systems.Gather(func(*systems.Client, *roomstest.Push) {}),
		})
		if err != nil {
			t.Fatal(err)
		}
		p := &player{c}
		h.players = append(h.players, p)
		h.until("in the game", func() bool { _, ok := p.Own(p.World()); return ok })
	}
	h.run(6 * time.Second)
	h.still(12 * time.Second)
	for range 3000 {
		for i, at := range []*fleetServer{two, three, two} {
			if _, err := at.fleet.Reconnect(ctx, room, rooms.Player{ID: uint64(i) + 1}); !errors.Is(err, rooms.ErrUnavailable) || errors.Is(err, rooms.ErrRoom) {
				t.Fatal(err)
			}
			if _, ok := at.fleet.Find(room.String()); !ok {
				t.Fatal("the room is not found")
			}
		}
		h.still(2 * step)
	}
	four := h.another(newer("four"), nil)
	h.still(12 * time.Second)
	for i, at := range []*fleetServer{two, three, two} {
		again, err := at.fleet.Reconnect(ctx, room, rooms.Player{ID: uint64(i) + 1})
		if err != nil || again.Loaded == 0 || again.Process != "four" || four.Room(room) == nil {
			t.Errorf("%+v, %v", again, err)
		}
	}
}
