package rooms

import (
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Players who join a kind fill one room and then another one. Each client sees only players in its own room, and the server's
// game knows the player of each client.
func TestRoomsBehindOneEndpoint(t *testing.T) {
	joined := make(map[uint64]Seat)
	kind := fields(2)
	kind.Joined = func(_ *Room, s Seat, client uint32) { joined[s.Player] = s }
	asked := make(map[uint64]Seat)
	kind.Server.Players.Login = systems.Login(func(s netsys.Session, _ *struct{}) error {
		seat, ok := SeatOf(s)
		if !ok {
			return ErrSeat
		}
		asked[seat.Player] = seat
		return nil
	})
	h := newHouse(t, Config{Kinds: []Kind{kind}})
	var all []*player
	var seats []Admission
	for id := range uint64(5) {
		p, a := h.entered("field", id+1)
		all, seats = append(all, p), append(seats, a)
	}
	if n := len(h.server.Rooms()); n != 3 {
		t.Fatalf("%d rooms for five players who sit by two", n)
	}
	h.run(2 * time.Second)
	for i, p := range all {
		seen := 0
		for range ecs.All[struct{ At place }](p.View()) {
			seen++
		}
		want := 2
		if i == 4 {
			want = 1
		}
		if seen != want || p.Err() != nil {
			t.Errorf("player %d sees %d, want %d: %v", i+1, seen, want, p.Err())
		}
		s := joined[p.id]
		if s.Room != seats[i].Seat.Room || s.Number != seats[i].Seat.Number || string(s.Data) != string(seats[i].Seat.Data) || len(s.Data) == 0 {
			t.Errorf("player %d joined as %+v with %+v", i+1, s, seats[i].Seat)
		}
		if a := asked[p.id]; a.Room != s.Room || a.Number != s.Number || string(a.Data) != string(s.Data) {
			t.Errorf("player %d asked to join as %+v, and joined as %+v", i+1, a, s)
		}
	}
	if seats[0].Seat.Room != seats[1].Seat.Room || seats[2].Seat.Room != seats[3].Seat.Room || seats[0].Seat.Room == seats[2].Seat.Room || seats[4].Seat.Room == seats[2].Seat.Room {
		t.Errorf("seats %+v", seats)
	}
	if d := h.server.Drops(); d.Roomless+d.Full+d.Unsent != 0 {
		t.Errorf("drops %+v", d)
	}
}

// Players who join at the same moment meet in one room, although none was open.
func TestJoinTogether(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(16)}})
	var all sync.WaitGroup
	for player := range uint64(16) {
		all.Go(func() {
			if _, err := h.server.Join("field", nil, Player{ID: player + 1}); err != nil {
				t.Error(err)
			}
		})
	}
	if all.Wait(); len(h.server.Rooms()) != 1 {
		t.Errorf("%d rooms for 16 players", len(h.server.Rooms()))
	}
}
