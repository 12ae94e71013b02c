package rooms

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// A room takes measures against overload when the rest of the process leaves it too little time, and undoes them afterwards.
func TestRoomsGiveUpInTheirOrder(t *testing.T) {
	var h *house
	kind := fields(4)
	kind.Server.Overload = systems.Overload{Clock: func() time.Duration { return h.now.Sub(birth) }}
	h = newHouse(t, Config{Kinds: []Kind{kind}})
	_, a := h.entered(kind.Name, 1)
	room := h.server.Room(a.Seat.Room)
	step := func() (given string) {
		room.Tell(func(s *systems.Server) { given = s.Stats().Overload.Step.String() })
		h.run(100 * time.Millisecond)
		return given
	}
	h.run(3 * time.Second)
	if s := step(); s != "nothing" {
		t.Fatalf("gives up %v with nothing else to do", s)
	}
	for range 20 { // other rooms take 300 ms at a time
		h.now = h.now.Add(300 * time.Millisecond)
		h.server.Advance(h.now)
	}
	if s := step(); s == "nothing" {
		t.Error("gives up nothing while it waits for other rooms")
	}
	h.run(10 * time.Second)
	if s := step(); s != "nothing" {
		t.Errorf("gives up %v long afterwards", s)
	}
}
