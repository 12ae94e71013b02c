package rooms

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// Draining is called once for each draining room, whoever drains it. A player with a token still gets in, and the process is
// drained when the last player has left.
func TestGamesHearOfDraining(t *testing.T) {
	told := make(map[ID]int)
	kind := fields(2)
	kind.Grace = -1
	kind.Draining = func(r *Room) { told[r.ID()]++ }
	var h *house
	var late ID
	kind.Created = func(r *Room, _ *ecs.World) error {
		if r.Info().Options["late"] == true { // the process drains while it is made
			late = r.ID()
			h.server.Drain()
		}
		return nil
	}
	h = newHouse(t, Config{Kinds: []Kind{kind}})
	p, a := h.entered("field", 1)
	r := h.server.Room(a.Seat.Room)
	promised := h.join("field", 2)
	r.Drain()
	h.run(step)
	if told[r.ID()] != 1 {
		t.Errorf("told %d times", told[r.ID()])
	}
	if _, err := h.server.Create("field", Creation{Options: Options{"late": true}}); err != nil {
		t.Fatal(err)
	}
	r.Drain()
	q := h.play(promised)
	h.until("in", q.playing)
	if told[r.ID()] != 1 || told[late] != 1 || h.server.Room(late) != nil {
		t.Errorf("told %v, the late room is %v", told, late)
	}
	if _, err := r.Reconnect(Player{ID: 1}); err != nil {
		t.Errorf("who has a seat, for another token: %v", err)
	}
	for i, x := range []*player{p, q} {
		select {
		case <-h.server.Drained():
			t.Errorf("drained, and %d play", 2-i)
		default:
		}
		if err := x.Close(h.now); err != nil {
			t.Error(err)
		}
		h.run(time.Second)
	}
	h.until("drained, as the other token of player 1 has expired", func() bool {
		select {
		case <-h.server.Drained():
			return true
		default:
			return false
		}
	})
	for _, n := range h.notices {
		if n.Event == RoomEnded && !errors.Is(n.Err, ErrDrained) {
			t.Errorf("ended because of %v", n.Err)
		}
	}
}
