package rooms

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// Rooms tick and keep their players when the clock is set, also if it has no monotonic reading. A room that is created then does, too.
func TestClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, -20 * time.Second, -2 * time.Second, 20 * time.Second, time.Hour} {
		t.Run(fmt.Sprint(by), func(t *testing.T) {
			h := newHouse(t, Config{Kinds: []Kind{fields(1)}, Promise: 10 * time.Second})
			old, _ := h.entered("field", 1)
			h.run(time.Second)
			h.stepClock(by)
			late, _ := h.entered("field", 2)
			ticks := func() (all []uint32) {
				for _, r := range h.server.Rooms() {
					all = append(all, r.Info().Tick)
				}
				return all
			}
			before := ticks()
			h.run(15 * time.Second)
			for i, now := range ticks() {
				if n := now - before[i]; n < 290 || n > 310 {
					t.Errorf("room %d had %d ticks in 15 s, want 300", i, n)
				}
			}
			for i, p := range []*player{old, late} {
				if p.Err() != nil || !p.playing() {
					t.Errorf("player %d: %v", i+1, p.Err())
				}
			}
			if n := h.events[RoomStuck]; n > 0 {
				t.Errorf("%d rooms are stuck", n)
			}
		})
	}
}

// The times that a server compares with time.Now have its monotonic reading.
func TestTimesAreMonotonic(t *testing.T) {
	now := time.Now()
	c := Config{Promise: 10 * time.Second}
	for what, at := range map[string]time.Time{"first tick": firstTick(3, systems.ServerConfig{TickRate: 20}, now), "end of a promise": c.until(now)} {
		if !strings.Contains(at.String(), " m=") {
			t.Errorf("%s: %v has no monotonic reading, unlike %v", what, at, now)
		}
	}
	if at := c.until(now); at.Nanosecond() != 0 || at.Unix() != now.Unix()+10 {
		t.Errorf("a promise from %v ends at %v", now, at)
	}
}
