package fleet_test

import (
	"errors"
	"net/netip"
	"slices"
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

// walking returns a field in which players walk.
func walking() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[roomstest.Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[roomstest.Push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *roomstest.Place
			In *roomstest.Push
		}](w) {
			r.At.X += float32(r.In.DX) / 8
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, roomstest.Place{}, roomstest.Push{})
	})
	return p
}

// walkingHats returns a later version of walking.
func walkingHats() *ecs.Protocol {
	p := walking()
	ecs.Replicate[hat](p, ecs.Interpolated)
	return p
}

// moved is a fleet whose processes are replaced.
type moved struct {
	*world
	store   rooms.Store
	ended   []error
	left    []uint64
	hashes  map[uint32]uint64 // of the world at the end in one process, by tick
	loaded  map[uint32]uint64 // of the world at the begin in the next one
	refused error             // of Kind.Created
}

func newMoved(t *testing.T) *moved {
	m := &moved{store: &storeOf{Store: newSaves()}, hashes: make(map[uint32]uint64), loaded: make(map[uint32]uint64)}
	m.world = newWorld(t, m.config("one", walking), nil)
	return m
}

func (m *moved) config(name string, protocol func() *ecs.Protocol) rooms.Config {
	kind := fieldKind(4)
	kind.Protocol, kind.Linger, kind.Server.Players.Spectators = protocol, -1, 1
	kind.Created = func(r *rooms.Room, w *ecs.World) error {
		if r.Loaded() != 0 {
			m.loaded[r.Loaded()] = w.Hash()
			return m.refused
		}
		return nil
	}
	kind.Left = func(_ *rooms.Room, s rooms.Seat) { m.left = append(m.left, s.Player) }
	kind.Ended = func(r *rooms.Room, why error) { m.ended = append(m.ended, why) }
	return rooms.Config{Kinds: []rooms.Kind{kind}, Process: name, Store: m.store}
}

// enter has a player play with an admission.
func (m *moved) enter(a rooms.Admission) *player {
	m.t.Helper()
	return m.enterWith(a, walking())
}

// enterWith does so with a version of the game.
func (m *moved) enterWith(a rooms.Admission, protocol *ecs.Protocol) *player {
	m.t.Helper()
	c, err := systems.NewClient(m.net.Node(netip.AddrPort{}), netip.AddrPort{}, protocol, systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token, Reach: func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
			return m.net.Node(netip.AddrPort{}), netip.AddrPort{}, nil
		}},
		Start: m.now, Spectate: a.Spectator, Gather: systems.Gather(func(_ *systems.Client, in *roomstest.Push) { in.DX = 1 }),
	})
	if err != nil {
		m.t.Fatal(err)
	}
	p := &player{c}
	m.players = append(m.players, p)
	m.until("in the game", func() bool {
		_, ok := p.Own(p.World())
		if a.Spectator {
			_, ok = p.Loaded()
		}
		return ok
	})
	return p
}

// x returns where a player sees itself.
func (p *player) x() float32 {
	if e, ok := p.Own(p.World()); ok {
		return ecs.Get[roomstest.Place](p.World(), e).X
	}
	return 0
}

// When a process drains, another one continues its rooms at the same tick: the clients follow, no tick and no seat is lost,
// and no player leaves. Spectators are notified.
func TestDrainHandsOver(t *testing.T) {
	m := newMoved(t)
	a, b := m.join("field", 1), m.join("field", 2)
	one := m.enter(a)
	two := m.enter(b)
	empty, err := m.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.server.Room(a.Seat.Room).Spectate(rooms.Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	spectator := m.enter(x)
	m.run(3 * time.Second)
	from := m.server
	for round, name := range []string{"two", "three"} {
		to := m.another(m.config(name, walking), nil)
		m.run(2 * time.Second)
		id, x := one.ID(), one.x()
		r := from.Room(a.Seat.Room)
		from.Drain()
		m.until("there", func() bool { return one.Stats().Travels > uint64(round) && two.Stats().Travels > uint64(round) })
		tick := to.Room(a.Seat.Room).Loaded()
		if err := r.Do(func(s *systems.Server) { m.hashes[s.Tick()] = s.World().Hash() }); err != nil || m.hashes[tick] != m.loaded[tick] || tick == 0 {
			t.Errorf("%v; tick %d: the hash is %x, and was %x", err, tick, m.loaded[tick], m.hashes[tick])
		}
		if again, err := m.others[0].fleet.Reconnect(t.Context(), a.Seat.Room, rooms.Player{ID: 9}); !errors.Is(err, rooms.ErrNoSeat) {
			t.Errorf("a player without a seat: %+v, %v", again, err)
		}
		m.until("it plays on", func() bool { return one.x() > x })
		m.until("drained", func() bool {
			select {
			case <-from.Drained():
				return true
			default:
				return false
			}
		})
		anew := to.Room(a.Seat.Room)
		if one.ID() != id || one.Err() != nil || two.Err() != nil || len(m.left) > 0 || anew.Info().Taken != 2 || anew.Epoch() != uint64(round)+2 || to.Room(empty.ID()) == nil {
			t.Errorf("client %d, before %d: %v, %v, left %v, %+v", one.ID(), id, one.Err(), two.Err(), m.left, anew.Info())
		}
		m.run(2 * time.Second)
		if e := read[rooms.RoomEntry](t, m.directory, fleet.RoomKey(a.Seat.Room)); e.Process != name || e.Free != 2 {
			t.Errorf("%+v", e)
		}
		from = to
	}
	var end *netsys.CloseError
	if !errors.As(spectator.Err(), &end) || end.Reason != rooms.ReasonClaimed {
		t.Errorf("the spectator: %v", spectator.Err())
	}
	if len(m.ended) != 4 || slices.ContainsFunc(m.ended, func(err error) bool { return !errors.Is(err, rooms.ErrMoved) }) {
		t.Errorf("ended %v", m.ended)
	}
	// Later, the process may have the room again.
	fourth := m.another(m.config("four", walking), nil)
	m.run(time.Second)
	from.Drain()
	m.until("there again", func() bool { return fourth.Room(a.Seat.Room) != nil })
}

// A process that is closed leaves its rooms to the others, at their last tick.
func TestCloseLeavesRooms(t *testing.T) {
	m := newMoved(t)
	a := m.join("field", 1)
	p := m.enter(a)
	to := m.another(m.config("two", walking), nil)
	m.run(2 * time.Second)
	x, tick := p.x(), m.server.Room(a.Seat.Room).Info().Tick
	if err := m.server.Close(m.now); err != nil {
		t.Fatal(err)
	}
	m.server = nil
	m.run(time.Second)
	again, err := to.fleet.Reconnect(t.Context(), a.Seat.Room, rooms.Player{ID: 1})
	if err != nil || again.Loaded != tick {
		t.Fatalf("%+v, %v, closed at tick %d", again, err, tick)
	}
	if p = m.enter(again); p.x() < x-1 {
		t.Errorf("at %v, before at %v", p.x(), x)
	}
}

// Clients of another version of the game are told to update, and the world continues. With the new version they have their
// entities again.
func TestDrainToAnotherVersion(t *testing.T) {
	m := newMoved(t)
	a := m.join("field", 1)
	p := m.enter(a)
	m.run(2 * time.Second)
	to := m.another(m.config("two", walkingHats), nil)
	m.run(2 * time.Second)
	x := p.x()
	m.server.Drain()
	m.until("told", func() bool { return p.Err() != nil })
	if ends, ok := errors.AsType[*netsys.CloseError](p.Err()); !ok || ends.Reason != netsys.ReasonProtocol {
		t.Errorf("told %v", p.Err())
	}
	if r := to.Room(a.Seat.Room); r == nil || r.Loaded() == 0 || r.Info().Waiting != 1 {
		t.Fatalf("%+v", r)
	}
	again, err := to.fleet.Reconnect(t.Context(), a.Seat.Room, rooms.Player{ID: 1})
	if err != nil || again.Schema != rooms.SchemaOf(walkingHats()) {
		t.Fatalf("%+v, %v", again, err)
	}
	if updated := m.enterWith(again, walkingHats()); updated.ID() != p.ID() || updated.x() < x {
		t.Errorf("client %d at %v, before client %d at %v", updated.ID(), updated.x(), p.ID(), x)
	}
}

// A room that no other process can continue stays where it is, without loss.
func TestDrainWithoutAnother(t *testing.T) {
	for name, fail := range map[string]func(m *moved){
		"alone": func(m *moved) {},
		"store fails": func(m *moved) {
			m.another(m.config("two", walking), nil)
			m.store.(*storeOf).putErr = errors.New("full")
		},
		"store lost": func(m *moved) {
			m.another(m.config("two", walking), nil)
			m.store.(*storeOf).err = errors.New("unreachable")
		},
		"refused": func(m *moved) { m.another(m.config("two", walking), nil); m.refused = errors.New("not here") },
		"other game": func(m *moved) {
			m.another(m.config("two", func() *ecs.Protocol { return ecs.NewProtocol("another/1") }), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMoved(t)
			a := m.join("field", 1)
			p := m.enter(a)
			m.run(2 * time.Second)
			fail(m)
			m.run(2 * time.Second)
			r, x := m.server.Room(a.Seat.Room), p.x()
			m.server.Drain()
			m.run(8 * time.Second)
			if p.Err() != nil || p.x() < x+8*20/8-1 || r.Info().State != rooms.Draining || p.Stats().Travels != 0 {
				t.Fatalf("%v, at %v, before at %v, %+v", p.Err(), p.x(), x, r.Info())
			}
			if e := read[rooms.RoomEntry](t, m.directory, fleet.RoomKey(r.ID())); e.Process != "one" {
				t.Errorf("%+v", e)
			}
			if _, err := r.Reconnect(rooms.Player{ID: 1}); err != nil {
				t.Error(err)
			}
			if err := p.Close(m.now); err != nil {
				t.Error(err)
			}
			m.run(20 * time.Second) // the token of Reconnect expires
			if len(m.server.Rooms()) != 0 || !slices.Equal(m.left, []uint64{1}) {
				t.Errorf("%d rooms, left %v", len(m.server.Rooms()), m.left)
			}
			if name != "other game" && name != "store fails" && name != "store lost" {
				m.refused = nil
				to := m.another(m.config("later", walking), nil)
				m.run(time.Second) // the process that drains is alive
				if _, err := to.fleet.Reconnect(t.Context(), r.ID(), rooms.Player{ID: 1}); !errors.Is(err, rooms.ErrNoSeat) {
					t.Errorf("the room, which was empty: %v", err)
				}
				if anew := to.Room(r.ID()); anew == nil && name == "alone" || anew != nil && anew.Loaded() == 0 {
					t.Errorf("it does not go on: %+v", anew)
				}
			}
		})
	}
}

// A process drains while its rooms cannot be handed over: the store is full, there is no other process, or the other one refuses. The
// rooms move as soon as they can, and the process has drained although nobody has left.
func TestDrainTriesAgain(t *testing.T) {
	for name, test := range map[string]struct{ fail, mend func(m *moved) }{
		"alone": {func(*moved) {}, func(m *moved) { m.another(m.config("two", walking), nil) }},
		"store fails": {func(m *moved) {
			m.another(m.config("two", walking), nil)
			m.store.(*storeOf).putErr = errors.New("full")
		}, func(m *moved) { m.store.(*storeOf).putErr = nil }},
		"refused": {func(m *moved) {
			m.another(m.config("two", walking), nil)
			m.refused = errors.New("not here")
		}, func(m *moved) { m.refused = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMoved(t)
			p := m.enter(m.join("field", 1))
			test.fail(m)
			m.run(2 * time.Second)
			m.server.Drain()
			m.server.Drain()
			m.run(30 * time.Second)
			if p.Err() != nil || p.Stats().Travels != 0 {
				t.Fatalf("%v after %d travels", p.Err(), p.Stats().Travels)
			}
			test.mend(m)
			for range 65 {
				m.run(time.Second)
			}
			if p.Err() != nil || p.Stats().Travels != 1 || len(m.server.Rooms()) != 0 {
				t.Errorf("%v after %d travels; %d rooms are left", p.Err(), p.Stats().Travels, len(m.server.Rooms()))
			}
		})
	}
}
