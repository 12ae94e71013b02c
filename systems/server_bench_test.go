package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// BenchmarkSnapshot measures a send of 300 entities, 20 of them changed, to 1 and to 101 clients with the same baselines. The
// difference is the cost of 100 more clients.
func BenchmarkSnapshot(b *testing.B) {
	for _, clients := range []int{1, 101} {
		b.Run(map[int]string{1: "clients=1", 101: "clients=101"}[clients], func(b *testing.B) {
			g := newGame(b, plaza, ServerConfig{})
			w := g.server.World()
			var all []ecs.Entity
			for n := range 300 {
				all = append(all, w.Spawn(place{X: float32(n)}, tint{uint8(n % 200)}))
			}
			for range clients {
				g.join(ClientConfig{}, netsys.Link{Latency: 40 * time.Millisecond})
			}
			g.connect()
			g.run(60)
			s := g.server
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				for k := range 20 {
					ecs.Get[place](w, all[(n*20+k)%300]).Y++
				}
				for range 3 {
					g.now = g.now.Add(testTick)
					s.link.now = g.now
					s.stages.before.Run(w)
					s.stages.onTick.Run(w)
					s.snapshots.Step()
					s.link.tick++
				}
				b.StartTimer()
				s.snapshots.Run(w)
				b.StopTimer()
				s.model.sender.Send(w)
				for _, c := range g.clients {
					c.Advance(g.now)
				}
				b.StartTimer()
			}
		})
	}
}
