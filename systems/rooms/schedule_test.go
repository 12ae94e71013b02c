package rooms

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// sitting is a client with its admission.
type sitting struct {
	*player
	Admission
	gone  bool // its process has died
	moved bool // it is leaving, or what it was told on its way may not have reached it
	since time.Time
}

// Players join, crash, return, leave, are kicked and do not arrive, in any order, while rooms end: no two clients ever play in
// one seat, and no room has more clients than seats, as the clients see it. A player with the newest token of a seat plays or
// gets the reason why not. In the end nothing is left.
func TestSchedule(t *testing.T) {
	systemstest.Seeds(t, 2, schedule)
}

func schedule(t *testing.T, seed uint64) {
	const players, capacity = 12, 3
	rng := rand.New(rand.NewPCG(seed, 2))
	kind := fields(capacity)
	kind.Grace, kind.Linger = 8*time.Second, 3*time.Second
	h := newHouse(t, Config{Kinds: []Kind{kind}, Promise: 4 * time.Second, Random: netsys.SeededRandom(seed)})
	var all []*sitting
	of := make(map[uint64]*sitting) // the newest of each player
	come := func(a Admission) {
		if rng.IntN(5) == 0 {
			return // and never comes
		}
		s := &sitting{player: h.play(a), Admission: a, since: h.now}
		all, of[a.Seat.Player] = append(all, s), s
	}
	check := func() {
		t.Helper()
		type chair struct {
			room ID
			seat uint16
		}
		chairs, count := make(map[chair]uint64), make(map[ID]int)
		for _, r := range h.server.Rooms() {
			i := r.Info()
			if i.Taken+i.Promised+i.Waiting > capacity || i.Free() < 0 {
				t.Fatalf("%+v", i.SeatCounts)
			}
			for _, s := range r.Seats() {
				if s.State == "taken" {
					chairs[chair{r.ID(), s.Number}] = s.Player
					count[r.ID()]++
				}
			}
		}
		for _, s := range all {
			at := chair{s.Seat.Room, s.Seat.Number}
			if !s.gone && !s.moved && s.Err() == nil && s.playing() && h.server.Room(s.Seat.Room) != nil && h.now.Sub(s.since) > 12*time.Second && chairs[at] != s.id {
				t.Fatalf("%v: player %d plays in seat %d of room %v, which is player %d's", h.now.Sub(birth), s.id, at.seat, at.room, chairs[at])
			}
			if !s.gone && s.Err() == nil && !s.playing() && h.now.Sub(s.since) > 25*time.Second {
				t.Fatalf("%v: player %d came and neither plays nor heard why not", h.now.Sub(birth), s.id)
			}
		}
	}
	for range 120 {
		id := 1 + rng.Uint64N(players)
		s := of[id]
		switch rng.IntN(9) {
		case 0, 1, 2, 3:
			if s != nil && !s.gone && s.Err() == nil {
				break // it plays, or is on its way
			}
			if s != nil {
				if r := h.server.Room(s.Seat.Room); r != nil {
					if a, err := r.Reconnect(Player{ID: id}); err == nil {
						come(a)
						break
					} else if !errors.Is(err, ErrNoSeat) && !errors.Is(err, ErrEnded) {
						t.Fatal(err)
					}
				}
			}
			if a, err := h.server.Join("field", nil, Player{ID: id}); err == nil {
				come(a[0])
			} else if !errors.Is(err, ErrSeated) {
				t.Fatal(err)
			}
		case 4: // its process dies
			if s != nil && !s.gone {
				s.gone = true
				_ = s.wire.Close()
				for i, p := range h.players {
					if p == s.player {
						h.players = append(h.players[:i], h.players[i+1:]...)
						break
					}
				}
			}
		case 5:
			if s != nil && !s.gone && s.Err() == nil {
				s.moved = true
				_ = s.Close(h.now)
			}
		case 6:
			if s != nil {
				if r := h.server.Room(s.Seat.Room); r != nil {
					_ = r.Kick(id)
				}
			}
		case 7:
			if rooms := h.server.Rooms(); len(rooms) > 0 && rng.IntN(4) == 0 {
				rooms[rng.IntN(len(rooms))].End(nil)
			}
		case 8: // it has another address
			if s != nil && !s.gone && s.Err() == nil {
				s.moved = true
				s.wire.Rebind(anywhere(t, "127.0.0.1:0"))
			}
		}
		h.run(time.Duration(rng.IntN(1500)) * time.Millisecond)
		check()
	}
	for _, s := range all {
		if !s.gone && s.Err() == nil {
			_ = s.Close(h.now)
		}
	}
	h.run(40 * time.Second)
	if n, routes := len(h.server.Rooms()), h.server.router.routeCount(); n != 0 || routes != 0 || h.events[RoomUnseated] > 0 && h.events[PlayerKicked] == 0 {
		t.Errorf("%d rooms and %d addresses are left, told %v", n, routes, h.events)
	}
	if n := len(h.server.index.rooms); n != 0 {
		t.Errorf("the index has seats of %d players", n)
	}
}
