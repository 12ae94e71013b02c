package rooms

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// why returns the reason that a client received.
func why(p *player) netsys.Reason {
	if c, ok := errors.AsType[*netsys.CloseError](p.Err()); ok && c.Remote {
		return c.Reason
	}
	return 0
}

// A panic in the game of one room ends that room, and its players are notified. Other rooms lose no tick, with and without
// workers.
func TestPanicEndsItsRoomAlone(t *testing.T) {
	for _, workers := range []int{1, 3} {
		var bad ID
		kind := fields(2)
		kind.Server.Workers = workers
		kind.Set = func(r *Room, c *systems.ServerConfig) error {
			c.Schedule = func(s *ecs.Schedule) error {
				return s.InsertAfter("ServerApply", ecs.System{Name: "trouble", Run: func(w *ecs.World) {
					if r.ID() == bad && w.Tick() > 0 {
						panic("out of luck")
					}
				}})
			}
			return nil
		}
		var ended []error
		kind.Ended = func(_ *Room, why error) { ended = append(ended, why) }
		h := newHouse(t, Config{Kinds: []Kind{kind}})
		one, a := h.entered("field", 1)
		two, _ := h.entered("field", 2)
		three, b := h.entered("field", 3)
		other := h.server.Room(b.Seat.Room)
		from, at := other.Info().Tick, h.now
		bad = a.Seat.Room
		h.until("told", func() bool { return one.Err() != nil && two.Err() != nil })
		if why(one) != ReasonFailed || why(two) != ReasonFailed || Explain(why(one)) == "" {
			t.Errorf("workers %d: the players hear %v and %v", workers, one.Err(), two.Err())
		}
		h.run(time.Second)
		if three.Err() != nil || h.server.Room(bad) != nil || len(h.server.Rooms()) != 1 {
			t.Fatalf("workers %d: the other player: %v, %d rooms", workers, three.Err(), len(h.server.Rooms()))
		}
		if ticks := other.Info().Tick - from; ticks != uint32(h.now.Sub(at)/(time.Second/20)) {
			t.Errorf("workers %d: the other room made %d ticks in %v", workers, ticks, h.now.Sub(at))
		}
		if len(ended) != 1 || !errors.Is(ended[0], ErrPanic) || h.events[RoomFailed] != 1 {
			t.Errorf("workers %d: ended %v, told %v", workers, ended, h.events)
		}
		for _, n := range h.notices {
			if n.Event == RoomFailed && (n.Room != bad || n.System != "trouble" || !strings.Contains(n.Stack, "TestPanicEndsItsRoomAlone") || !strings.Contains(n.Err.Error(), "out of luck")) {
				t.Errorf("workers %d: told %+v", workers, n)
			}
		}
		if _, err := h.server.Join("field", nil, Player{ID: 1}); err != nil {
			t.Errorf("workers %d: the player of the room that failed joins: %v", workers, err)
		}
	}
}

// Functions of the game that panic while a room is made are the error of Create; in hooks and tasks they end the room.
func TestPanicsOutsideOfTicks(t *testing.T) {
	kind := fields(1)
	kind.Created = func(r *Room, _ *ecs.World) error {
		if r.Info().Options["bad"] == true {
			panic("at birth")
		}
		return nil
	}
	kind.Joined = func(*Room, Seat, uint32) { panic("at the door") }
	kind.Ended = func(*Room, error) { panic("at the end") }
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	if r, err := h.server.Create("field", Creation{Options: Options{"bad": true}}); !errors.Is(err, ErrPanic) || r != nil || len(h.server.Rooms()) != 0 {
		t.Errorf("%v, %v", r, err)
	}
	p := h.play(h.join("field", 1))
	h.until("told", func() bool { return p.Err() != nil })
	if why(p) != ReasonFailed {
		t.Errorf("the player hears %v", p.Err())
	}
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Do(func(*systems.Server) { panic("by hand") }); !errors.Is(err, ErrPanic) {
		t.Errorf("Do: %v", err)
	}
	h.run(time.Second)
	if len(h.server.Rooms()) != 0 || !errors.Is(r.Do(func(*systems.Server) {}), ErrEnded) {
		t.Errorf("%d rooms", len(h.server.Rooms()))
	}
}

// A room ends when it was empty for a while, by the game, by draining, and with the server. Its players get the reason.
func TestRoomsEnd(t *testing.T) {
	kind := fields(2)
	kind.Linger, kind.Grace = 5*time.Second, -1
	ended := make(map[ID]error)
	kind.Ended = func(r *Room, why error) { ended[r.ID()] = why }
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	make := func() *Room {
		r, err := h.server.Create("field", Creation{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	empty := make()
	h.run(4900 * time.Millisecond)
	if empty.Info().State != Open {
		t.Fatal(empty.Info().State)
	}
	h.run(200 * time.Millisecond)
	if !errors.Is(ended[empty.ID()], ErrEmpty) || empty.Info().State != Ended || h.server.Room(empty.ID()) != nil || h.server.ByCode(empty.Code()) != nil {
		t.Errorf("ended because of %v", ended[empty.ID()])
	}

	over := errors.New("three goals")
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	r.End(over)
	h.run(time.Second)
	if ended[r.ID()] != over || why(p) != ReasonEnded {
		t.Errorf("ended because of %v, the player hears %v", ended[r.ID()], p.Err())
	}
	if _, err := r.Reserve(Player{ID: 5}); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
	if _, err := r.Reconnect(Player{ID: 1}); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}

	p, a = h.entered("field", 2)
	r, idle := h.server.Room(a.Seat.Room), make()
	h.server.Drain()
	h.run(time.Second)
	if !errors.Is(ended[idle.ID()], ErrDrained) || p.Err() != nil || r.Info().State != Draining {
		t.Errorf("%v, the player: %v, its room: %v", ended[idle.ID()], p.Err(), r.Info().State)
	}
	if _, err := r.Reserve(Player{ID: 5}); !errors.Is(err, ErrDraining) {
		t.Error(err)
	}
	if _, err := h.server.Create("field", Creation{}); !errors.Is(err, ErrDraining) {
		t.Error(err)
	}
	select {
	case <-h.server.Drained():
		t.Error("drained, and somebody plays")
	default:
	}
	if err := p.Close(h.now); err != nil {
		t.Error(err)
	}
	h.run(time.Second)
	select {
	case <-h.server.Drained():
	default:
		t.Errorf("not drained, with %d rooms", len(h.server.Rooms()))
	}
	if !errors.Is(ended[r.ID()], ErrDrained) {
		t.Error(ended[r.ID()])
	}
}

// A locked room accepts no new players. Players with a seat can return.
func TestLock(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(3)}})
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	r.Begin()
	if s := r.Info().State; s != Running {
		t.Error(s)
	}
	r.Lock()
	if _, err := r.Reserve(Player{ID: 2}); !errors.Is(err, ErrLocked) || r.Info().State != Locked {
		t.Error(err, r.Info().State)
	}
	if b := h.join("field", 2); b.Seat.Room == r.ID() {
		t.Error("joined a locked room")
	}
	again, err := r.Reconnect(Player{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := h.play(again)
	h.until("back", func() bool { return q.playing() && p.Err() != nil })
	r.Unlock()
	if _, err := r.Reserve(Player{ID: 3}); err != nil {
		t.Error(err)
	}
}

// A room that exceeds its budget is reported and slowed down to at most half of the time. When it is within the budget again,
// it runs normally.
func TestSlowRoomsAreSlowed(t *testing.T) {
	var h *house
	heavy := 200 * time.Millisecond
	kind := fields(1)
	kind.Created = func(r *Room, _ *ecs.World) error { return nil }
	kind.Protocol = func() *ecs.Protocol {
		return fieldWith(func(*ecs.World) { h.now = h.now.Add(heavy) })
	}
	h = newHouse(t, Config{Kinds: []Kind{kind}})
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	for h.events[RoomSlow] == 0 {
		h.now = h.now.Add(step)
		h.server.Advance(h.now)
		if h.now.Sub(birth) > 25*time.Second {
			t.Fatal("it is not told of")
		}
	}
	if i := r.Info(); !i.Slow || i.TickTime < heavy/4 {
		t.Errorf("%+v", i)
	}
	at, busy := h.now, time.Duration(0)
	for h.now.Sub(at) < 5*time.Second {
		h.now = h.now.Add(step)
		before := h.now
		h.server.Advance(h.now)
		busy += h.now.Sub(before)
	}
	if all := h.now.Sub(at); busy > all*11/20 || busy < all/3 {
		t.Errorf("busy for %v of %v", busy, all)
	}
	heavy = 0
	h.run(5 * time.Second)
	if i := r.Info(); i.Slow || h.events[RoomFast] != 1 || h.events[RoomSlow] != 1 {
		t.Errorf("%+v, told %v", i, h.events)
	}
}

// Explain has a sentence for every reason of a session's end, except for those of the game.
func TestExplain(t *testing.T) {
	for reason := range netsys.Reason(255) {
		known := !strings.HasPrefix(reason.String(), "reason ") // which logs have in place of a name
		if words := Explain(reason); (words != "") != known {
			t.Errorf("%v: %q", reason, words)
		}
	}
}
