package rooms

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A room whose players play on allocates nothing between saves.
func TestTurnsAllocateNothing(t *testing.T) {
	store, _ := newStore(t)
	h := newHouse(t, Config{Kinds: []Kind{fields(4)}, Store: store, Key: testKey(), SaveInterval: time.Hour})
	for id := range uint64(4) {
		h.entered("field", id+1)
	}
	h.run(20 * time.Second)
	r := h.server.Rooms()[0]
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it empties pools
	turns, allocated := 0, uint64(1)
	var before, after runtime.MemStats
	for round := 0; round < 3 && allocated > 0; round++ { // what the runtime allocates by itself is counted too
		turns, allocated = 0, 0
		for range 200 {
			h.now = h.now.Add(step)
			if !h.now.Before(r.nextTurn(h.now)) {
				runtime.ReadMemStats(&before)
				r.runTurn(h.now)
				runtime.ReadMemStats(&after)
				turns, allocated = turns+1, allocated+after.Mallocs-before.Mallocs
			}
			for _, p := range h.players {
				p.Advance(h.now)
			}
		}
	}
	if turns < 30 || allocated > 0 {
		t.Errorf("%d turns have allocated %d times, and so it was three times", turns, allocated)
	}
}

// The ticks of rooms with one rate are spread over the tick interval: for any number of rooms, no tenth of the interval has
// more than twice the average number of ticks.
func TestTicksAreSpread(t *testing.T) {
	h := newHouse(t, Config{Kinds: []Kind{fields(1)}})
	const rooms = 100
	var due [10]int
	for range rooms {
		r, err := h.server.Create("field", Creation{})
		if err != nil {
			t.Fatal(err)
		}
		at := r.nextTurn(h.now)
		due[at.Sub(at.Truncate(time.Second/20))/(time.Second/200)]++
	}
	for i, n := range due {
		if n > 2*rooms/len(due) || n < rooms/len(due)/2 {
			t.Errorf("tenth %d has %d of %d: %v", i, n, rooms, due)
		}
	}
}
