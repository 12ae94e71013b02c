package systems

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// drift is coded by two baselines.
type drift struct {
	X float32 `net:"-512..512 step 0.01 linear"`
}

// Clients share a view, and one of them is sent every other snapshot only. What happens to entities in between and is undone before
// its next snapshot confuses it as little as the others.
func TestUndoneBetweenSnapshots(t *testing.T) {
	t.Parallel()
	seeds(t, 3, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 9))
		g := newGame(t, func() *ecs.Protocol {
			p := plaza()
			ecs.Replicate[drift](p, 0)
			return p
		}, ServerConfig{Seed: seed})
		w := g.server.World()
		var all []ecs.Entity
		for range 40 {
			all = append(all, w.Spawn(drift{X: r.Float32() * 100}, tint{1}))
		}
		link := netsys.Link{Latency: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}
		for range 2 {
			g.join(ClientConfig{Gather: gatherPush()}, link)
		}
		g.connect()
		g.clients[1].AskSendRate(30)
		for range 600 {
			for _, e := range all {
				ecs.Get[drift](w, e).X += r.Float32() - 0.5
				switch n := r.IntN(8); {
				case n > 0:
				case ecs.Has[tint](w, e):
					ecs.Remove[tint](w, e)
				default:
					ecs.Add(w, e, tint{uint8(r.IntN(200))})
				}
			}
			g.step()
		}
		g.mustConverge()
		for _, c := range g.clients {
			if st := c.Stats(); st.MalformedMessages > 0 || st.Renewals > 0 {
				t.Errorf("client %d: %+v", c.ID(), st)
			}
		}
	})
}
