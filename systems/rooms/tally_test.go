package rooms

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// The counters of a kind include all its rooms, also those that have ended.
func TestTallies(t *testing.T) {
	other := fields(2)
	other.Name = "other"
	wrong := fields(4)
	wrong.Name, wrong.Protocol = "wrong", func() *ecs.Protocol {
		return fieldWith(func(w *ecs.World) {
			if w.Tick() == 30 {
				panic("thirty")
			}
		})
	}
	h := newHouse(t, Config{Kinds: []Kind{fields(2), other, wrong}, MaxRooms: 3})
	h.entered("field", 1)
	h.entered("field", 2)
	room := h.server.Rooms()[0]
	for _, c := range []struct {
		want error
		err  func() error
	}{
		{ErrFull, func() error { _, err := room.Reserve(Player{ID: 3}, Player{ID: 4}); return err }},
		{ErrFull, func() error {
			_, err := h.server.Join("field", nil, Player{ID: 3}, Player{ID: 4}, Player{ID: 5})
			return err
		}},
		{ErrNoSeat, func() error { _, err := room.Reconnect(Player{ID: 9}); return err }},
		{ErrPlayer, func() error { _, err := room.Reserve(Player{}); return err }},
		{nil, func() error { _, err := room.Reconnect(Player{ID: 1}); return err }},
		{nil, func() error { _, err := h.server.Join("wrong", nil, Player{ID: 7}); return err }},
		{nil, func() error { _, err := h.server.Join("field", nil, Player{ID: 7}, Player{ID: 8}); return err }},
		{ErrRooms, func() error { _, err := h.server.Join("field", nil, Player{ID: 9}); return err }},
	} {
		if err := c.err(); !errors.Is(err, c.want) {
			t.Fatalf("%v, want %v", err, c.want)
		}
	}
	room.Lock()
	if _, err := room.Reserve(Player{ID: 5}); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	h.run(3 * time.Second)
	tick := room.Info().Tick
	second := h.server.Rooms()[1].Info().Tick
	room.End(nil)
	h.run(time.Second)
	all := make(map[string]Tally)
	for _, x := range h.server.Tallies() {
		all[x.Kind] = x
	}
	x := all["field"]
	want := map[string]uint64{"full": 5, "no_seat": 1, "player": 1, "rooms": 1, "locked": 1}
	if x.Given != 4 || x.Returned != 1 || !maps.Equal(x.Refused, want) {
		t.Errorf("given %d, again %d, refused %v, want 4, 1 and %v", x.Given, x.Returned, x.Refused, want)
	}
	if x.Events["created"] != 2 || x.Events["ended"] != 1 || x.Events["failed"] != 0 {
		t.Errorf("events %v", x.Events)
	}
	turns := uint64(0)
	for _, n := range x.Turns.Counts {
		turns += n
	}
	// The second room continues for a second after the first has ended.
	if least := uint64(tick + second); x.Ticks < least || x.Ticks > least+25 || turns != x.Ticks {
		t.Errorf("%d ticks in %d turns, the rooms were at %d and %d", x.Ticks, turns, tick, second)
	}
	if y := all["wrong"]; y.Events["failed"] != 1 || y.Given != 1 || y.Ticks != 30 {
		t.Errorf("the kind that fails: %+v", y)
	}
	if y := all["other"]; len(all) != 3 || y.Ticks+y.Given != 0 {
		t.Errorf("%d kinds; one without rooms: %+v", len(all), y)
	}
}
