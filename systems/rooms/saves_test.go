package rooms

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// testStore is a store that can be made to fail.
type testStore struct {
	Store
	mu   sync.Mutex
	err  error
	puts map[ID][]time.Time
	now  func() time.Time
}

func (s *testStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *testStore) Put(ctx context.Context, room ID, epoch uint64, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.now != nil {
		s.puts[room] = append(s.puts[room], s.now())
	}
	return s.Store.Put(ctx, room, epoch, data)
}

func (s *testStore) Get(ctx context.Context, room ID) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	return s.Store.Get(ctx, room)
}

// newStore returns a store in a folder.
func newStore(t testing.TB) (*testStore, string) {
	t.Helper()
	folder := t.TempDir()
	s, err := NewFileStore(folder)
	if err != nil {
		t.Fatal(err)
	}
	return &testStore{Store: s, puts: make(map[ID][]time.Time)}, folder
}

// testKey returns the key of the servers with a store.
func testKey() netcode.Key { return netcode.GenerateKey(netsys.SeededRandom(99)) }

// kill replaces the server of a house by another one, without a word to anybody.
func (h *house) kill(c Config) {
	h.t.Helper()
	c.Now, c.Random = func() time.Time { return h.now }, netsys.SeededRandom(uint64(len(h.notices))+5)
	c.Told = func(n Notice) { h.notices = append(h.notices, n); h.events[n.Event]++ }
	var err error
	if h.server, err = New(c, h.net.Node(netip.AddrPort{})); err != nil {
		h.t.Fatal(err)
	}
}

// at returns where a client of a room is, and the NetID of its entity.
func at(t testing.TB, r *Room, client uint32) (x float32, id components.NetID) {
	t.Helper()
	w := r.game.World()
	for _, row := range ecs.All[struct {
		ecs.Entity
		At    place
		Owner components.Owner
	}](w) {
		if row.Owner.Client == client {
			return row.At.X, w.NetID(row.Entity)
		}
	}
	t.Fatalf("client %d has no entity", client)
	return 0, 0
}

// A process is killed, and another one continues its room from the last save: the world, seats, bans, options, Begin and Lock.
// Returning players have their entities, and learn how many ticks are lost.
func TestRoomOutlivesItsProcess(t *testing.T) {
	store, _ := newStore(t)
	var created []uint32
	var joined, left []uint64
	kind := fields(4)
	kind.Grace = 10 * time.Second
	kind.Created = func(r *Room, _ *ecs.World) error { created = append(created, r.Loaded()); return nil }
	kind.Joined = func(_ *Room, s Seat, _ uint32) { joined = append(joined, s.Player) }
	kind.Left = func(_ *Room, s Seat) { left = append(left, s.Player) }
	c := Config{Kinds: []Kind{kind}, Store: store, Key: testKey()}
	h := newHouse(t, c)
	one, a := h.entered("field", 1)
	_, b := h.entered("field", 2)
	r := h.server.Room(a.Seat.Room)
	_, three := h.entered("field", 3)
	h.run(7 * time.Second)
	_ = r.Kick(3)
	r.Ban(9)
	r.Begin()
	r.Lock()
	if err := r.Publish(Options{"map": "dust"}); err != nil {
		t.Fatal(err)
	}
	h.run(6 * time.Second)
	x, id := at(t, r, one.ID())
	if h.events[RoomUnsaved] != 0 {
		t.Fatalf("told %v", h.notices)
	}

	h.kill(c)
	was := one.ServerTick()
	h.run(time.Second)
	again, err := Here(h.server).Reconnect(context.Background(), a.Seat.Room, Player{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if lost := was - again.Loaded; again.Loaded == 0 || lost > 5*20 {
		t.Errorf("loaded tick %d, at tick %d: %d are lost", again.Loaded, was, lost)
	}
	if !slices.Equal(created, []uint32{0, again.Loaded}) {
		t.Errorf("created with %v", created)
	}
	old := r
	r = h.server.Room(a.Seat.Room)
	i := r.Info()
	if i.Epoch != 2 || i.Code != old.Code() || i.Options["map"] != "dust" || i.State != Locked || i.Waiting != 2 || i.Free() != 2 || i.Tick < again.Loaded {
		t.Errorf("%+v", i)
	}
	r.Unlock()
	if s := r.Info().State; s != Running {
		t.Errorf("unlocked, it is %v", s)
	}
	r.Lock()
	for player, want := range map[uint64]error{9: ErrLocked, 2: ErrLocked, 1: ErrLocked} {
		if _, err := r.Reserve(Player{ID: player}); !errors.Is(err, want) {
			t.Errorf("player %d: %v", player, err)
		}
	}
	if _, err := r.Reconnect(Player{ID: three.Seat.Player}); !errors.Is(err, ErrNoSeat) {
		t.Errorf("a player who was kicked: %v", err)
	}
	p := h.play(again)
	h.until("back", func() bool { return p.playing() })
	got, same := at(t, r, p.ID())
	if p.ID() != one.ID() || same != id || got < x-5*20/8 {
		t.Errorf("client %d at %v with entity %d, before: client %d at %v with entity %d", p.ID(), got, same, one.ID(), x, id)
	}
	h.run(kind.Grace)
	if _, err := r.Reconnect(Player{ID: b.Seat.Player}); !errors.Is(err, ErrNoSeat) || !slices.Equal(joined, []uint64{1, 2, 3}) || !slices.Equal(left, []uint64{3, 2}) {
		t.Errorf("a player who does not return in time: %v, joined %v, left %v", err, joined, left)
	}
	r.Unlock()
	if _, err := r.Reserve(Player{ID: 9}); !errors.Is(err, ErrBanned) {
		t.Errorf("a banned player: %v", err)
	}
	// A room that has ended is over, in the next process, too.
	r.End(nil)
	h.run(time.Second)
	h.kill(c)
	if _, err := Here(h.server).Reconnect(context.Background(), r.ID(), Player{ID: 1}); !errors.Is(err, ErrRoom) {
		t.Errorf("a room that has ended: %v", err)
	}
	if _, ok := Here(h.server).Find(r.ID().String()); ok {
		t.Error("it is found")
	}
}

// A process that is closed saves the last tick of its rooms.
func TestLastSave(t *testing.T) {
	store, folder := newStore(t)
	c := Config{Kinds: []Kind{fields(2)}, Store: store, Key: testKey(), SaveInterval: time.Hour}
	h := newHouse(t, c)
	one, a := h.entered("field", 1)
	h.run(3 * time.Second)
	r := h.server.Room(a.Seat.Room)
	r.Lock()
	tick := r.game.Tick()
	x, _ := at(t, r, one.ID())
	if err := h.server.Close(h.now); err != nil {
		t.Fatal(err)
	}
	h.kill(c)
	e, ok := Here(h.server).Find(a.Seat.Room.String())
	if !ok || e.Free != 1 {
		t.Fatalf("%+v, %v", e, ok)
	}
	r = h.server.Room(e.ID)
	if got, _ := at(t, r, one.ID()); r.Loaded() != tick || got != x || r.Info().State != Locked {
		t.Errorf("loaded tick %d at %v, saved tick %d at %v; it is %v", r.Loaded(), got, tick, x, r.Info().State)
	}
	h.run(2 * step)
	if files, _ := os.ReadDir(folder); len(files) != 2 || files[1].Name() != e.ID.String()+".2.save" {
		t.Errorf("files %v", files)
	}
}

// Rooms go on while their store fails. The failure is reported once per room and counted each time.
func TestStoreFails(t *testing.T) {
	store, _ := newStore(t)
	full := errors.New("no space left on device")
	h := newHouse(t, Config{Kinds: []Kind{fields(1)}, Store: store, Key: testKey()})
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	h.run(6 * time.Second)
	if age := r.Info().SaveAge; age > 5*time.Second {
		t.Errorf("the save is %v old", age)
	}
	store.fail(full)
	h.run(21 * time.Second)
	if age := r.Info().SaveAge; age < 21*time.Second || age > 26*time.Second {
		t.Errorf("the save is %v old", age)
	}
	if n := h.server.Tallies()[0].Events["unsaved"]; p.Err() != nil || !r.Info().Unsaved || h.events[RoomUnsaved] != 1 || n < 3 || n > 6 {
		t.Errorf("%v, %+v, told %v, counted %d", p.Err(), r.Info(), h.events, n)
	}
	if err := h.durable(r); !errors.Is(err, full) {
		t.Errorf("durable: %v", err)
	}
	store.fail(nil)
	h.run(6 * time.Second)
	if r.Info().Unsaved || h.events[RoomSaved] != 1 {
		t.Errorf("%+v, told %v", r.Info(), h.events)
	}
}

// durable calls Durable while time passes.
func (h *house) durable(r *Room) error {
	done := make(chan error, 1)
	go func() { done <- r.Durable(context.Background()) }()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Millisecond): // virtual time must not run away while the disk works
			h.run(step)
		}
	}
}

// The state at the return of Durable outlives the process.
func TestDurable(t *testing.T) {
	store, _ := newStore(t)
	c := Config{Kinds: []Kind{fields(1)}, Store: store, Key: testKey(), SaveInterval: time.Hour}
	h := newHouse(t, c)
	one, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	for range 3 {
		h.run(time.Second)
		x, _ := at(t, r, one.ID())
		if err := h.durable(r); err != nil {
			t.Fatal(err)
		}
		h.kill(c)
		again, err := h.server.Continue(context.Background(), r.ID())
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := at(t, again, one.ID()); got < x || again.Epoch() != r.Epoch()+1 {
			t.Errorf("at %v, before %v; epoch %d", got, x, again.Epoch())
		}
		r = again
	}
	r.End(nil)
	h.run(step)
	if err := r.Durable(context.Background()); !errors.Is(err, ErrEnded) {
		t.Errorf("a room that has ended: %v", err)
	}
	alone := newHouse(t, Config{Kinds: []Kind{fields(1)}})
	r, err := alone.server.Create("field", Creation{})
	if err == nil {
		err = r.Durable(context.Background())
	}
	if !errors.Is(err, ErrConfig) {
		t.Errorf("without a store: %v", err)
	}
}

// The saves of many rooms are spread over the interval.
func TestSavesAreStaggered(t *testing.T) {
	store, _ := newStore(t)
	h := newHouse(t, Config{Kinds: []Kind{fields(1)}, Store: store, Key: testKey()})
	store.now = func() time.Time { return h.now }
	const rooms = 20
	for range rooms {
		if _, err := h.server.Create("field", Creation{}); err != nil {
			t.Fatal(err)
		}
	}
	h.run(20 * time.Second)
	var due [5]int
	for id, all := range store.puts {
		for i, at := range all[1:] {
			due[at.Sub(birth)%(5*time.Second)/time.Second]++
			if d := at.Sub(all[i]); d < 4900*time.Millisecond || d > 5100*time.Millisecond {
				t.Errorf("room %v is saved after %v", id, d)
			}
		}
	}
	if len(store.puts) != rooms || slices.Min(due[:]) < rooms/4 || slices.Max(due[:]) > rooms {
		t.Errorf("%d rooms, saves by second: %v", len(store.puts), due)
	}
}

// A room ends when another process has saved it under a higher epoch, and its saves do not replace those.
func TestStaleRoomEnds(t *testing.T) {
	store, _ := newStore(t)
	c := Config{Kinds: []Kind{fields(1)}, Store: store, Key: testKey()}
	h := newHouse(t, c)
	p, a := h.entered("field", 1)
	h.run(6 * time.Second)
	first := h.server
	h.kill(c)
	h.others = append(h.others, first)
	if _, err := h.server.Continue(context.Background(), a.Seat.Room); err != nil {
		t.Fatal(err)
	}
	h.run(6 * time.Second)
	if why(p) != ReasonClaimed || first.Room(a.Seat.Room) != nil || h.server.Room(a.Seat.Room) == nil {
		t.Errorf("the player of the former process: %v", p.Err())
	}
	h.run(6 * time.Second)
	h.kill(c)
	if r, err := h.server.Continue(context.Background(), a.Seat.Room); err != nil || r.Epoch() != 3 {
		t.Errorf("%v", err)
	}
}

// A save that this process cannot use stays, and its room is not continued: players are to try again later. It is damaged, of
// another key, fleet or game, or has what this version of the game lacks. The process that can use it continues the room.
func TestUnusableSaves(t *testing.T) {
	for name, test := range map[string]struct {
		change func(c *Config, file string)
		want   error
		back   func(c *Config, file string) // how another process can continue the room; nil: with the first configuration
	}{
		"another key": {func(c *Config, _ string) { c.Key[0]++ }, ErrSaveKey, nil},
		"rotated": {func(c *Config, _ string) { c.Key[0]++ }, ErrSaveKey, func(c *Config, _ string) {
			c.Key[0]++
			c.OldKeys = []netcode.Key{testKey()}
		}},
		"another fleet": {func(c *Config, _ string) { c.Fleet = "west" }, ErrSaveFleet, nil},
		"another game": {func(c *Config, _ string) {
			c.Kinds[0].Protocol = func() *ecs.Protocol { return ecs.NewProtocol("another/1") }
		}, systems.ErrLoad, nil},
		"older version": {func(c *Config, _ string) {
			c.Kinds[0].Protocol = func() *ecs.Protocol { return ecs.NewProtocol("field/1") }
		}, systems.ErrLoad, nil},
		"another rate": {func(c *Config, _ string) { c.Kinds[0].Server.TickRate = 40 }, systems.ErrLoad, nil},
		"damaged":      {func(_ *Config, file string) { cut(t, file, -1) }, ErrSave, func(_ *Config, file string) { cut(t, file, 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			store, folder := newStore(t)
			config := func() Config {
				return Config{Kinds: []Kind{fields(1)}, Store: store.Store, Key: testKey(), Fleet: "east"}
			}
			h := newHouse(t, config())
			_, a := h.entered("field", 1)
			h.run(6 * time.Second)
			file := filepath.Join(folder, a.Seat.Room.String()+".1.save")
			bad := config()
			test.change(&bad, file)
			had, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h.kill(bad)
			for range 200 { // players ask on
				h.run(step)
				if _, err := Here(h.server).Reconnect(t.Context(), a.Seat.Room, Player{ID: 1}); !errors.Is(err, test.want) || !errors.Is(err, ErrSave) || !errors.Is(err, ErrUnavailable) {
					t.Fatal(err)
				}
			}
			if n := h.events[RoomUnloaded]; n != 1 || h.server.UnusableSaves() != 1 {
				t.Errorf("told %d times of %d saves", n, h.server.UnusableSaves())
			}
			e := RoomEntry{ID: a.Seat.Room, Kind: "field", Epoch: 2}
			if _, err := (&Link{server: h.server}).Restore(t.Context(), e, 0, func(*Room) error { return nil }); !errors.Is(err, test.want) {
				t.Errorf("in a fleet: %v", err)
			}
			h.run(10 * time.Second)
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, had) {
				t.Errorf("the save has changed: %d bytes of %d, %v", len(got), len(had), err)
			}
			good := config()
			if test.back != nil {
				test.back(&good, file)
			}
			h.kill(good)
			if again, err := Here(h.server).Reconnect(t.Context(), a.Seat.Room, Player{ID: 1}); err != nil || again.Loaded == 0 || h.server.UnusableSaves() != 0 {
				t.Errorf("loaded tick %d: %v", again.Loaded, err)
			}
		})
	}
}

// cut removes the last byte of a file, or adds it again.
func cut(t *testing.T, file string, by int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if by < 0 {
		err = errors.Join(os.WriteFile(file+".end", b[len(b)-1:], 0o600), os.WriteFile(file, b[:len(b)-1], 0o600))
	} else {
		var end []byte
		end, err = os.ReadFile(file + ".end")
		err = errors.Join(err, os.WriteFile(file, append(b, end...), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// With LoadLossy, a room continues without what its version of the game lacks, and with a new world from a damaged save. The store
// keeps the save in both cases, whatever becomes of the room. That of another key is not touched.
func TestLossyLoad(t *testing.T) {
	for name, test := range map[string]struct {
		change func(c *Config, file string)
		loaded bool
	}{
		"older version": {func(c *Config, _ string) {
			c.Kinds[0].Protocol = func() *ecs.Protocol { return ecs.NewProtocol("field/1") }
		}, true},
		"another rate": {func(c *Config, _ string) { c.Kinds[0].Server.TickRate = 40 }, true},
		"another game": {func(c *Config, _ string) {
			c.Kinds[0].Protocol = func() *ecs.Protocol { return ecs.NewProtocol("another/1") }
		}, false},
		"damaged": {func(_ *Config, file string) { cut(t, file, -1) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			store, folder := newStore(t)
			c := Config{Kinds: []Kind{fields(1)}, Store: store.Store, Key: testKey()}
			h := newHouse(t, c)
			_, a := h.entered("field", 1)
			h.run(6 * time.Second)
			file := filepath.Join(folder, a.Seat.Room.String()+".1.save")
			c.Kinds = []Kind{fields(1)}
			c.Kinds[0].Joined, c.Kinds[0].Left = nil, nil
			c.Kinds[0].Server.LoadLossy = true
			test.change(&c, file)
			had, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			other := c
			other.Key[0]++
			e := RoomEntry{ID: a.Seat.Room, Kind: "field", Epoch: 2}
			restore := func(c Config) (*Room, error) {
				h.kill(c)
				return (&Link{server: h.server}).Restore(t.Context(), e, 0, func(*Room) error { return nil })
			}
			if _, err := restore(other); !errors.Is(err, ErrSaveKey) {
				t.Errorf("another key: %v", err)
			}
			for range 5 {
				r, err := restore(c)
				if err != nil {
					t.Fatal(err)
				}
				if e.Epoch == 2 && (r.Loaded() != 0) != test.loaded {
					t.Errorf("loaded tick %d", r.Loaded())
				}
				e.Epoch = r.Epoch() + 1
				h.run(6 * time.Second)
			}
			list, err := store.Store.(Archive).List(t.Context(), a.Seat.Room)
			if err != nil || len(list) != defaultSaves+1 || !list[defaultSaves].Kept || list[0].Epoch != 6 {
				t.Errorf("%+v, %v", list, err)
			}
			h.server.Room(a.Seat.Room).End(nil)
			h.run(time.Second)
			if got, err := store.Store.(Archive).Read(t.Context(), a.Seat.Room, 1); err != nil || !bytes.Equal(got, had) {
				t.Errorf("%d bytes of %d: %v", len(got), len(had), err)
			}
		})
	}
}

// Changed bytes make a save unusable, and so do those of another room. Saves of the first version of the format are read.
func TestSavedBytes(t *testing.T) {
	key := testKey()
	x := &savedRoom{RoomEntry: RoomEntry{ID: 7, Kind: "field"}, world: []byte("world")}
	good, err := x.seal(key)
	if err != nil {
		t.Fatal(err)
	}
	open := func(id ID, b []byte) error {
		_, err := openSave([]netcode.Key{key}, id, b)
		return err
	}
	for n := range good {
		bad := slices.Clone(good)
		bad[n] ^= 4
		for _, b := range [][]byte{good[:n], bad} {
			if err := open(7, b); !errors.Is(err, ErrSave) {
				t.Fatalf("byte %d: %v", n, err)
			}
		}
	}
	if err := open(8, good); !errors.Is(err, ErrSave) {
		t.Errorf("of another room: %v", err)
	}
	packed := good[savedHead:]
	first := append(append([]byte(savedMark1), savedMAC(key, 7, nil, packed)...), packed...)
	if err := open(7, first); err != nil {
		t.Errorf("the first version: %v", err)
	}
	if err := open(8, first); !errors.Is(err, ErrSaveKey) {
		t.Errorf("the first version, of another room: %v", err)
	}
}

// FuzzSaved: the save of a room is refused, or can be used.
func FuzzSaved(f *testing.F) {
	key := testKey()
	x := &savedRoom{RoomEntry: RoomEntry{ID: 7, Kind: "field", RoomState: RoomState{Options: Options{"map": "dust"}, Banned: []uint64{1}}}, Seats: []SeatInfo{{Player: 5, Client: 1}}, world: []byte("world")}
	b, err := x.seal(key)
	if err != nil {
		f.Fatal(err)
	}
	data, err := compression.Decompress(b[savedHead:], MaxSave)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(b)
	f.Add(binary.LittleEndian.AppendUint32(nil, 1<<31))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := openSave([]netcode.Key{key}, 7, b); err != nil && !errors.Is(err, ErrSave) {
			t.Fatal(err)
		}
		x, err := parseSaved(7, b)
		if err != nil {
			if !errors.Is(err, ErrSave) {
				t.Fatal(err)
			}
			return
		}
		book := newSeatBook(3, 1)
		for _, s := range x.Seats {
			book.resume(int(s.Number), bookSeat{player: s.Player, client: s.Client, waits: true})
		}
		if book.free() < 0 {
			t.Fatal(book)
		}
	})
}
