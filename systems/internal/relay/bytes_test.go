package relay_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// What a client costs, in bytes a tick without the session's own: players who turn three times a second, on
// links of 50 ms one way with some jitter and loss.
func TestBytesOfAClient(t *testing.T) {
	for _, c := range []struct {
		players  int
		wait     bool
		play     func(player uint32, frame int) steer
		up, down float64 // at most
	}{
		{2, false, human, 10.5, 14}, {8, false, human, 10.5, 38}, {8, true, human, 10.5, 38},
		{8, false, func(uint32, int) steer { return steer{} }, 8, 28}, {16, false, human, 10.5, 70},
	} {
		t.Run(fmt.Sprintf("%d_%v", c.players, c.wait), func(t *testing.T) {
			m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: c.wait}}, relay.ClientConfig{}, c.play)
			m.blind = true
			m.step()
			for p := range c.players {
				m.join(uint32(p+1), 3, 1, 0.02, 0)
			}
			for m.now < 150 {
				m.step()
			}
			for _, e := range m.ends {
				e.up.bytes, e.down.bytes = 0, 0
			}
			const ticks = 300
			for range ticks {
				m.step()
			}
			up, down := 0.0, 0.0
			for _, e := range m.ends {
				up += float64(e.up.bytes) / ticks / float64(c.players)
				down += float64(e.down.bytes) / ticks / float64(c.players)
			}
			t.Logf("%.1f bytes up, %.1f down", up, down)
			if up > c.up || down > c.down {
				t.Errorf("%.1f bytes up and %.1f down a tick, at most %v and %v are allowed", up, down, c.up, c.down)
			}
		})
	}
}
