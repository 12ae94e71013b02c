package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// The inputs of a player are counted once when its session is replaced, including those that arrive in the wake-up in which
// the session ends.
func TestInputsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for _, p := range []policy.Model{policy.ServerRewind{}, policy.Rollback{}} {
		t.Run(p.String(), func(t *testing.T) {
			g := newGame(t, peopled, ServerConfig{Model: p, Players: Players{ReconnectWindow: time.Minute}})
			var missing, rewrote [32]uint64 // by player, as long as the timeline knows it
			run := func(ticks int) {
				for range ticks {
					g.run(1)
					for id := range uint32(32) {
						missing[id] = max(missing[id], g.server.model.line.Missing(id))
						rewrote[id] = max(rewrote[id], g.server.model.line.Inputs(id)[timeline.Rewrote])
					}
				}
			}
			far := netsys.Link{Latency: 120 * time.Millisecond, Jitter: 100 * time.Millisecond, Loss: 0.3, Burst: 200 * time.Millisecond}
			g.joinPeer(7, netsys.Link{})
			g.connect()
			for range 3 { // each takes the place of the one before
				g.joinPeer(8, far)
				run(300)
			}
			for n := range 12 { // and some leave while inputs are under way
				c := g.joinPeer(uint64(10+n), netsys.Link{Latency: 100 * time.Millisecond, Jitter: 100 * time.Millisecond})
				run(100)
				if err := c.Close(g.now); err != nil {
					t.Fatal(err)
				}
				run(60)
			}
			var sum [2]uint64
			for id := range missing {
				sum[0] += missing[id]
				sum[1] += rewrote[id]
			}
			st := g.server.Stats().Inputs
			if sum[0] == 0 || st.Missing > sum[0] {
				t.Errorf("%d inputs are counted as missing, the timeline missed %d", st.Missing, sum[0])
			}
			if sum[1] == 0 || st.Rewrote != sum[1] {
				t.Errorf("%d inputs are counted as rewritten, the timeline rewrote %d", st.Rewrote, sum[1])
			}
		})
	}
}
