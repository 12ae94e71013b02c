package relay_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/systems/relay"
	"github.com/tactusgo/tactus/systems/timeline"
)

func TestZZ(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			wait := seed%2 == 0
			c := relay.Config{Peers: 8, Timeline: timeline.Config{Wait: wait, Window: 15 + r.IntN(50)}, Keep: 260 + r.IntN(300), Lead: 1 + r.IntN(20), Part: 1024}
			if r.IntN(2) == 0 {
				c.Refuse = func(player, tick uint32, words []int32) bool { return (player+tick)%41 == 0 }
			}
			c.Timeline.Fills = 1 + r.IntN(20)
			cc := relay.ClientConfig{Delay: r.IntN(4)}
			cc.Timeline.Fills = c.Timeline.Fills
			play := human
			if r.IntN(2) == 0 { play = always }
			m := newMatch(t, c, cc, play)
			m.rng = r
			m.clocks = !wait
			m.step()
			next := uint32(0)
			loss := r.Float64()*0.4
			for m.now < 1200 {
				if m.now%17 == 0 && len(m.ends) < 6 {
					next++
					m.join(next, 1+m.rng.IntN(8), r.IntN(8), loss, 0.1)
				}
				if r.IntN(40)==0 && len(m.ends) > 2 {
					player := m.ends[m.rng.IntN(len(m.ends))].player
					m.leave(player)
					if m.rng.IntN(2) == 0 {
						m.join(player, 1+m.rng.IntN(8), r.IntN(8), loss, 0.1)
					}
				}
				for _, e := range m.ends {
					switch {
					case e.frozen && r.IntN(60) == 0: e.frozen = false
					case r.IntN(400) == 0: e.frozen = true
					case r.IntN(300) == 0: e.up.dead = !e.up.dead
					case e.up.dead && r.IntN(50) == 0: e.up.dead = false
					case r.IntN(300) == 0: e.down.dead = !e.down.dead
					case e.down.dead && r.IntN(50) == 0: e.down.dead = false
					}
				}
				if r.IntN(100) == 0 { m.limit = 512 + r.IntN(700) }
				m.step()
			}
			// all quiet
			for _, e := range m.ends { e.frozen, e.up.dead, e.down.dead = false, false, false; e.up.loss, e.down.loss = 0, 0 }
			for range 300 { m.step() }
			for _, e := range m.ends {
				if !e.Playing() { t.Error("not playing", e.player, e.Following(), e.Stats()) }
				if lag := int(m.server.Timeline().Next()) - int(e.Timeline().Next()); lag > 20 { t.Error("behind", e.player, lag, e.Stats()) }
			}
			t.Logf("tick %d of %d; %+v", m.server.Timeline().Next(), m.now, m.server.Stats())
		})
	}
}
