package rooms

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// watched returns a kind of rooms with spectators.
func watched(capacity, spectators int) Kind {
	k := fields(capacity)
	k.Server.Players.Spectators = spectators
	return k
}

// spectate makes a client that watches a room.
func (h *house) spectate(r *Room, id uint64) *player {
	h.t.Helper()
	a, err := r.Spectate(Player{ID: id})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.play(a)
}

// sees reports whether a client sees a number of players.
func (p *player) sees(players int) bool {
	if _, loaded := p.Loaded(); !loaded {
		return false
	}
	n := 0
	for range ecs.All[struct{ At place }](p.World()) {
		n++
	}
	return n == players
}

// A spectator sees the match, is not a player of the room and takes no seat. Its place is free when it leaves.
func TestSpectate(t *testing.T) {
	kind := watched(1, 1)
	var joined, left []uint64
	kind.Joined = func(_ *Room, s Seat, _ uint32) { joined = append(joined, s.Player) }
	kind.Left = func(_ *Room, s Seat) { left = append(left, s.Player) }
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	_, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	r.Lock()
	s := h.spectate(r, 2)
	if i := r.Info(); i.Spectators != 1 || i.MaxSpectators != 1 || i.Free() != 0 || i.Promised != 0 {
		t.Errorf("%+v", i.SeatCounts)
	}
	h.until("watches", func() bool { return s.sees(1) })
	if e := r.Entry(); e.Spectators != 1 || e.MaxSpectators != 1 || len(r.Seats()) != 1 {
		t.Errorf("%+v, %d seats", e, len(r.Seats()))
	}
	if _, err := r.Spectate(Player{ID: 3}); !errors.Is(err, ErrSpectators) {
		t.Error(err)
	}
	if _, err := r.Spectate(Player{ID: 1}); !errors.Is(err, ErrSeated) {
		t.Error(err)
	}
	h.run(20 * time.Second)
	if s.Err() != nil {
		t.Errorf("the spectator left: %v", s.Err())
	}
	again := h.spectate(r, 2)
	h.until("watches again", func() bool { return again.sees(1) && s.Err() != nil })
	if err := again.Close(h.now); err != nil {
		t.Error(err)
	}
	h.until("left", func() bool { return r.Info().Spectators == 0 })
	if len(joined) != 1 || len(left) != 0 {
		t.Errorf("joined %v, left %v", joined, left)
	}
	_ = h.spectate(r, 3).wire.Close()
	h.until("forgotten", func() bool { return r.Info().Spectators == 0 })
	if n := h.server.router.routeCount(); n != 1 {
		t.Errorf("%d addresses", n)
	}
}

// A token for a spectator does not open a seat, and a token for a seat does not open a place of a spectator. A spectator who
// takes a seat stops watching.
func TestTokensOfSpectators(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{watched(2, 2)}})
	a := h.join("field", 1)
	r := h.server.Room(a.Seat.Room)
	a.Spectator = true
	wrong := h.play(a)
	h.until("refused", func() bool { return wrong.Err() != nil })
	b, err := r.Spectate(Player{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.Spectator = false
	wrong = h.play(b)
	h.until("refused", func() bool { return wrong.Err() != nil })
	old, err := r.Spectate(Player{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := h.spectate(r, 2)
	h.until("watches", func() bool { _, loaded := s.Loaded(); return loaded })
	stale := h.play(old)
	h.until("refused", func() bool { return stale.Err() != nil })
	p, _ := h.entered("field", 2)
	h.until("replaced", func() bool { return s.Err() != nil && r.Info().Spectators == 0 })
	h.run(time.Second)
	if !p.playing() || p.Err() != nil {
		t.Errorf("the player: %v", p.Err())
	}
	late := h.server.Room(a.Seat.Room)
	if _, err := late.Spectate(Player{ID: 4}); err != nil {
		t.Error(err)
	}
	h.run(20 * time.Second)
	if i := late.Info(); i.Spectators != 0 {
		t.Errorf("%d places for tokens that have expired", i.Spectators)
	}
}

// A room without spectators, or that is about to end, refuses them; bans hold for spectators.
func TestRefusedSpectators(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(1), func() Kind { k := watched(2, 4); k.Name = "arena"; return k }()}})
	none, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.Spectate(Player{ID: 1}); !errors.Is(err, ErrNoSpectators) {
		t.Error(err)
	}
	_, a := h.entered("arena", 1)
	r := h.server.Room(a.Seat.Room)
	kicked, banned, watches := h.spectate(r, 2), h.spectate(r, 3), h.spectate(r, 4)
	h.until("watch", func() bool { return kicked.sees(1) && banned.sees(1) && watches.sees(1) })
	if err := r.Kick(2); err != nil {
		t.Error(err)
	}
	r.Ban(3)
	h.until("removed", func() bool { return kicked.Err() != nil && banned.Err() != nil && r.Info().Spectators == 1 })
	if err := r.Kick(2); !errors.Is(err, ErrNoSeat) {
		t.Error(err)
	}
	if _, err := r.Spectate(Player{ID: 3}); !errors.Is(err, ErrBanned) {
		t.Error(err)
	}
	if _, err := r.Spectate(Player{ID: 5}); err != nil {
		t.Error(err)
	}
	other, err := h.server.Create("arena", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Spectate(Player{ID: 5}); err != nil || r.Info().Spectators != 1 || other.Info().Spectators != 1 {
		t.Errorf("%v: %d and %d places for one player", err, r.Info().Spectators, other.Info().Spectators)
	}
	r.Drain()
	if _, err := r.Spectate(Player{ID: 6}); !errors.Is(err, ErrDraining) {
		t.Error(err)
	}
	if err := h.players[0].Close(h.now); err != nil {
		t.Error(err)
	}
	var end *netsys.CloseError
	h.until("ended", func() bool { return watches.Err() != nil })
	if !errors.As(watches.Err(), &end) || end.Reason != ReasonEnded || h.server.Room(r.ID()) != nil {
		t.Errorf("%v, the room is %v", watches.Err(), h.server.Room(r.ID()))
	}
}

// A room that only spectators are in is empty, and Kind.Set may change how many there are.
func TestRoomsDoNotWaitForSpectators(t *testing.T) {
	kind := watched(1, 1)
	kind.Linger = 5 * time.Second
	kind.Set = func(_ *Room, c *systems.ServerConfig) error {
		c.Players.Spectators = 3
		return nil
	}
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	r, err := h.server.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	s := h.spectate(r, 1)
	h.until("watches", func() bool { return s.sees(0) })
	if i := r.Info(); i.MaxSpectators != 3 || i.Spectators != 1 {
		t.Errorf("%+v", i.SeatCounts)
	}
	h.until("ended", func() bool { return s.Err() != nil && h.events[RoomEnded] == 1 })
	kind.Server.Players.Spectators = MaxCapacity + 1
	if err := kind.Validate(); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}
