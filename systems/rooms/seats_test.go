package rooms

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// A player whose process died returns to its seat with another token and has its entities again. Nobody else gets the seat
// before the grace has expired.
func TestReconnect(t *testing.T) {
	kind := fields(1)
	kind.Grace = 20 * time.Second
	var joined, left []uint64
	kind.Joined = func(_ *Room, s Seat, _ uint32) { joined = append(joined, s.Player) }
	kind.Left = func(_ *Room, s Seat) { left = append(left, s.Player) }
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	h.run(2 * time.Second)
	h.players = nil // it is gone, without a word
	_ = p.wire.Close()
	h.until("missed", func() bool { return r.Info().Waiting == 1 })
	if _, err := r.Reserve(Player{ID: 2}); !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if _, err := r.Reserve(Player{ID: 1}); !errors.Is(err, ErrSeated) {
		t.Fatal(err)
	}
	if _, err := r.Reconnect(Player{ID: 2}); !errors.Is(err, ErrNoSeat) {
		t.Fatal(err)
	}
	again, err := r.Reconnect(Player{ID: 1})
	if err != nil || again.Seat.Number != a.Seat.Number || again.Seat.Epoch <= a.Seat.Epoch {
		t.Fatalf("%+v after %+v: %v", again.Seat, a.Seat, err)
	}
	q := h.play(again)
	h.until("back", func() bool { return q.playing() })
	if q.ID() != p.ID() || len(joined) != 1 || len(left) != 0 || r.Info().Taken != 1 {
		t.Errorf("client %d after %d, joined %v, left %v", q.ID(), p.ID(), joined, left)
	}
	x := float32(-1)
	for _, e := range ecs.All[struct{ At place }](q.View()) {
		x = e.At.X
	}
	if x < 3 {
		t.Errorf("it is at %v, where it did not stand when it went", x)
	}
	h.players = nil
	_ = q.wire.Close()
	h.run(10 * time.Second)
	h.until("given up", func() bool { return r.Info().Free() == 1 })
	if len(left) != 1 {
		t.Errorf("left %v", left)
	}
	if _, err := r.Reserve(Player{ID: 2}); err != nil {
		t.Error(err)
	}
}

// A player whose answer was lost asks again and gets the seat that it has, also when another room is fuller by then, or the room is
// locked. A player who plays gets its seat from Join in an open room, and goes on playing; Reserve refuses it.
func TestAskingAgain(t *testing.T) {
	kind := fields(3)
	kind.Grace = 20 * time.Second
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	lost := h.join("field", 1)
	r := h.server.Room(lost.Seat.Room)
	fuller, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fuller.Reserve(Player{ID: 8}, Player{ID: 9}); err != nil {
		t.Fatal(err)
	}
	same := func(a Admission) {
		t.Helper()
		if a.Seat.Room != lost.Seat.Room || a.Seat.Number != lost.Seat.Number || a.Seat.Epoch <= lost.Seat.Epoch || r.Info().Free() != 2 || fuller.Info().Free() != 1 {
			t.Fatalf("%+v after %+v, with %d and %d free", a.Seat, lost.Seat, r.Info().Free(), fuller.Info().Free())
		}
		lost = a
	}
	reserve := func() Admission {
		t.Helper()
		all, err := r.Reserve(Player{ID: 1, Party: 4})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	same(h.join("field", 1))
	same(reserve())
	r.Lock()
	same(h.join("field", 1))
	same(reserve())
	r.Unlock()
	p := h.play(lost)
	h.until("in the game", func() bool { return p.playing() })
	same(h.join("field", 1))
	if _, err := r.Reserve(Player{ID: 1}); !errors.Is(err, ErrSeated) {
		t.Error(err)
	}
	h.run(time.Second)
	if p.Err() != nil {
		t.Error(p.Err())
	}
	if _, err := Here(h.server).Renew(t.Context(), Wish{Kind: "field", Players: []Player{{ID: 1}}}, true); !errors.Is(err, ErrNoSeat) {
		t.Errorf("a connected player is not away: %v", err)
	}
	h.players = nil
	_ = p.wire.Close()
	h.until("missed", func() bool { return r.Info().Waiting == 1 })
	r.Lock()
	again := h.join("field", 1)
	same(again)
	q := h.play(again)
	h.until("back", func() bool { return q.playing() })
	if q.ID() != p.ID() {
		t.Errorf("client %d after %d", q.ID(), p.ID())
	}
	if a := h.join("field", 1); a.Seat.Room != fuller.ID() {
		t.Errorf("a player of a locked room got %+v", a.Seat)
	}
	all, err := h.server.Join("field", nil, Player{ID: 20, Party: 20}, Player{ID: 21, Party: 20})
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := h.server.Join("field", nil, Player{ID: 20, Party: 20}, Player{ID: 21, Party: 20})
	if err != nil || renewed[0].Seat.Room != all[0].Seat.Room || renewed[1].Seat.Number != all[1].Seat.Number {
		t.Errorf("%v: %+v after %+v", err, renewed, all)
	}
}

// A token opens its seat once, while it is the newest one, until it expires. Other clients are refused or get the reason.
func TestTokens(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}})
	a := h.join("field", 1)
	r := h.server.Room(a.Seat.Room)
	b, err := r.Reconnect(Player{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	old, good := h.play(a), h.play(b)
	h.until("decided", func() bool { return old.Err() != nil && good.playing() })
	if !errors.Is(old.Err(), netsys.ErrLogin) && !errors.Is(old.Err(), netsys.ErrReplaced) {
		t.Errorf("the older token: %v", old.Err())
	}
	again := h.play(b)
	h.until("decided", func() bool { return again.Err() != nil })
	if good.Err() != nil {
		t.Errorf("who plays was ended: %v", good.Err())
	}
	late, err := r.Reserve(Player{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	h.run(20 * time.Second)
	if i := r.Info(); i.Free() != 1 {
		t.Fatalf("a seat that nobody came for is not free: %+v", i)
	}
	x := h.play(late[0])
	h.until("refused", func() bool { return x.Err() != nil })
	if x.playing() {
		t.Error("an expired token let in")
	}
	gone, err := r.Reserve(Player{ID: 3})
	if err != nil {
		t.Fatal(err)
	}
	r.End(nil)
	h.run(time.Second)
	h.play(gone[0])
	h.run(12 * time.Second)
	if d := h.server.Drops(); d.Roomless == 0 {
		t.Errorf("nobody came for a room that has ended: %+v", d)
	}
}

// Parties sit together or not at all.
func TestParties(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(3)}})
	if _, err := h.server.Join("field", nil, Player{ID: 1}, Player{ID: 2}, Player{ID: 3}, Player{ID: 4}); !errors.Is(err, ErrFull) {
		t.Errorf("four on three seats: %v", err)
	}
	h.join("field", 1)
	h.join("field", 2)
	all, err := h.server.Join("field", nil, Player{ID: 3, Party: 9}, Player{ID: 4, Party: 9})
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Seat.Room != all[1].Seat.Room || len(h.server.Rooms()) != 2 || all[0].Seat.Party != 9 {
		t.Errorf("%+v", all)
	}
	if c := h.join("field", 5); c.Seat.Room == all[0].Seat.Room && h.server.Rooms()[0].Info().Free() == 1 && h.server.Rooms()[1].Info().Free() == 0 {
		t.Log("the fullest first")
	}
}

// A kicked player is notified, frees the seat and may return. A banned player may not. The log names the player.
func TestKickAndBan(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(t, Config{Kinds: []Kind{fields(1)}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	if err := r.Kick(1); err != nil {
		t.Fatal(err)
	}
	h.until("told", func() bool { return p.Err() != nil })
	if why(p) != netsys.ReasonKicked || r.Info().Free() != 1 || !errors.Is(r.Kick(1), ErrNoSeat) {
		t.Errorf("%v, %+v", p.Err(), r.Info())
	}
	q, _ := h.entered("field", 1)
	r.Ban(1)
	h.until("told", func() bool { return q.Err() != nil })
	if _, err := r.Reserve(Player{ID: 1}); why(q) != ReasonBanned || !errors.Is(err, ErrBanned) {
		t.Errorf("%v, %v", q.Err(), err)
	}
	if s := log.String(); strings.Count(s, "player=1") != 3 || strings.Contains(s, "player=0") {
		t.Errorf("the log:\n%s", s)
	}
	// On the way with a good token, when it is kicked.
	b := h.join("field", 2)
	if b.Seat.Room != r.ID() {
		t.Fatal("another room")
	}
	x := h.play(b)
	if err := r.Kick(2); err != nil {
		t.Fatal(err)
	}
	h.until("refused", func() bool { return x.Err() != nil })
	if !errors.Is(x.Err(), netsys.ErrLogin) || r.Info().Free() != 1 {
		t.Errorf("%v, %+v", x.Err(), r.Info())
	}
}

// Clients whose address changes continue in their own rooms, and nobody else notices.
func TestClientsMove(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(2)}})
	var all []*player
	for id := range uint64(6) {
		p, _ := h.entered("field", id+1)
		all = append(all, p)
	}
	for i, p := range all {
		if i%2 == 0 {
			p.wire.Rebind(netip.AddrPort{})
		}
	}
	h.run(12 * time.Second)
	for i, p := range all {
		for _, r := range h.server.Rooms() {
			if err := r.Do(func(s *systems.Server) {
				for c := range s.Clients {
					if s.Session(c.ID).ClientID() == p.id && (c.Session.Moves != uint64(1-i%2) || c.Address != p.wire.LocalAddr()) {
						t.Errorf("player %d moved %d times, to %v: it is at %v", p.id, c.Session.Moves, c.Address, p.wire.LocalAddr())
					}
				}
			}); err != nil {
				t.Error(err)
			}
		}
		if !h.server.router.knows(p.wire.LocalAddr()) {
			t.Errorf("player %d is a stray at %v", p.id, p.wire.LocalAddr())
		}
		if p.Err() != nil || p.ID() != uint32(1+i%2) {
			t.Errorf("player %d is client %d: %v", p.id, p.ID(), p.Err())
		}
	}
	if n := h.server.router.routeCount(); n != len(all) {
		t.Errorf("%d addresses of %d players", n, len(all))
	}
}

// promised counts the promised seats of all rooms.
func (h *house) promised() (n int) {
	for _, r := range h.server.Rooms() {
		n += r.Info().Promised
	}
	return n
}

// A player who asks for many seats, one after the other or at once, keeps only the newest promises. The tokens of the others
// are invalid, and seats of other players stay.
func TestPromisesOfOnePlayer(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(4)}})
	var rooms []*Room
	for range 8 {
		r, err := h.server.Create("field", Creation{})
		if err != nil {
			t.Fatal(err)
		}
		rooms = append(rooms, r)
	}
	var all []Admission
	for _, r := range rooms {
		a, err := r.Reserve(Player{ID: 1}, Player{ID: uint64(len(all)) + 100})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a[0])
	}
	if n := h.promised(); n != len(rooms)+defaultPromised {
		t.Errorf("%d seats are promised, %d of them to other players", n, len(rooms))
	}
	old, newest := h.play(all[0]), h.play(all[len(all)-1])
	h.until("in", newest.playing)
	h.run(time.Second)
	if old.playing() || h.promised() != len(rooms)+defaultPromised-1 {
		t.Errorf("the oldest token lets its player in, %d seats are promised", h.promised())
	}
	var asking sync.WaitGroup
	for _, r := range rooms[:6] {
		asking.Go(func() { _, _ = r.Reserve(Player{ID: 2}) })
	}
	asking.Wait()
	if n := h.promised(); n != len(rooms)+2*defaultPromised-1 {
		t.Errorf("%d seats are promised after six requests at once", n)
	}
}

// A player who creates many rooms keeps only the newest unused one. Rooms with a player, rooms with a seat promised to another
// player, and rooms of a kind that never ends by itself stay.
func TestRoomsOfOnePlayer(t *testing.T) {
	kept := fields(4)
	kept.Name, kept.Linger = "kept", -1
	h := newHouse(t, Config{Kinds: []Kind{fields(4), kept}})
	create := func(kind string) Admission {
		t.Helper()
		a, err := Here(h.server).Create(t.Context(), kind, Creation{Private: true}, Player{ID: 1})
		if err != nil {
			t.Fatal(err)
		}
		return a[0]
	}
	used := h.play(create("field"))
	h.until("in", used.playing)
	friends := create("field")
	if _, err := h.server.Room(friends.Seat.Room).Reserve(Player{ID: 2}); err != nil {
		t.Fatal(err)
	}
	create("kept")
	create("kept")
	var last Admission
	for range 5 {
		last = create("field")
	}
	if _, err := Here(h.server).Create(t.Context(), "field", Creation{Private: true}, Player{ID: 3}); err != nil {
		t.Fatal(err)
	}
	h.run(100 * time.Millisecond)
	if n := len(h.server.Rooms()); n != 6 || h.server.Room(friends.Seat.Room) == nil || h.server.Room(last.Seat.Room) == nil || used.Err() != nil {
		t.Errorf("%d rooms are left: %v", n, used.Err())
	}
	if _, err := h.server.Join("field", Options{"map": "dust"}, Player{ID: 1}); err != nil {
		t.Fatal(err)
	}
	h.run(100 * time.Millisecond)
	if h.server.Room(last.Seat.Room) != nil || len(h.server.Rooms()) != 6 {
		t.Errorf("a room that was made for who joins does not count: %d rooms", len(h.server.Rooms()))
	}
}
