package snapshot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/internal/workers"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/traffic"
)

// match is the result of a match on some workers: all packets in order, and all counts.
type match struct {
	packets []byte
	stats   Stats
	traffic traffic.Traffic
}

// how is how a match is played.
type how struct {
	Config
	interest interest.Interest
}

// play plays a match on n workers: clients with different round trips and losses join and leave, and entities walk, are
// spawned and despawned, and change owners.
func play(seed uint64, n int, how how) match {
	c := how.Config
	pool := workers.New(n)
	defer pool.Close()
	r := rand.New(rand.NewPCG(seed, 3))
	c.Workers = pool
	g := newPlaza(40+r.IntN(300), c, how.interest)
	for id := range uint32(40) {
		g.w.Spawn(components.Owner{Client: 1 + id%20}, place{X: float32(id)})
	}
	var m match
	loss := r.Float64() * 0.3
	acks := func(_, i int) {
		p := g.peers[i]
		for len(p.flying) > 0 && p.flying[0].due <= g.tick {
			g.s.Acked(p.c, p.flying[0].seq)
			p.flying = p.flying[1:]
		}
	}
	for g.tick < 240 {
		if len(g.peers) < 30 && r.IntN(4) == 0 {
			g.join(1 + uint32(r.IntN(12)))
		}
		if r.IntN(30) == 0 {
			if i := r.IntN(len(g.peers) + 1); i < len(g.peers) {
				g.s.Remove(g.peers[i].c)
				g.peers = append(g.peers[:i], g.peers[i+1:]...)
			}
		}
		for range 20 {
			g.move(r.IntN(len(g.all)))
		}
		if r.IntN(5) == 0 {
			g.all = append(g.all, g.w.Spawn(place{X: 1}, tint{Color: 3}))
		}
		if k := r.IntN(len(g.all)); r.IntN(6) == 0 {
			if e := g.all[k]; ecs.Has[testgame.Veil](g.w, e) {
				ecs.Remove[testgame.Veil](g.w, e)
			} else {
				ecs.Add(g.w, e, testgame.Veil{Of: 3})
			}
		}
		if len(g.peers) > 0 && r.IntN(20) == 0 {
			p := g.peers[r.IntN(len(g.peers))]
			p.c.Ask(p.c.asked+1, 0)
		}
		pool.Each(len(g.peers), acks)
		g.tick++
		g.s.Step()
		g.s.Run(g.w)
		for _, p := range g.peers {
			packets := p.c.Packets()
			for i := range packets {
				m.packets = fmt.Appendf(m.packets, "%d %d %d\n", g.tick, p.c.id, p.seq)
				m.packets = append(m.packets, packets[i].Bytes...)
				p.c.Sent(p.seq, &packets[i])
				if r.Float64() >= loss {
					p.flying = append(p.flying, flight{p.seq, g.tick + p.delay})
				}
				p.seq++
			}
			p.c.Clear()
		}
	}
	m.stats = g.s.Stats()
	g.s.Traffic(&m.traffic)
	return m
}

// The number of workers changes no byte and no counter: if everything fits, if entities take turns, if many clients join with
// kept states, and if some entities are hidden.
func TestWorkersChangeNothing(t *testing.T) {
	loved := func(_ *ecs.World, e ecs.Entity, client uint32) float32 { return float32(1 + client%5) }
	near := &interest.Grid[place]{Cell: 40, Radius: 60, Leave: 80}
	for name, c := range map[string]how{
		"all fits":        {Config: Config{Budget: 12_000}},
		"usual":           {},
		"tight":           {Config: Config{Budget: 500}},
		"least":           {Config: Config{Budget: MinBudget}},
		"hidden":          {interest: unveiled()},
		"hidden, tight":   {Config: Config{Budget: 400}, interest: unveiled()},
		"near":            {interest: near},
		"near, tight":     {Config: Config{Budget: 400}, interest: near},
		"near and hidden": {interest: interest.And(near, unveiled())},
		"priority, tight": {Config: Config{Priority: loved, Budget: 600}},
	} {
		t.Run(name, func(t *testing.T) {
			testgame.Seeds(t, 1, func(t *testing.T, seed uint64) {
				n := int(2 + 2*(seed%2))
				many := play(seed, n, c)
				if len(many.packets) == 0 || many.stats.Encodes.Blocks == 0 {
					t.Fatal("nothing was sent")
				}
				if race.Enabled { // one worker has no races
					return
				}
				one := play(seed, 1, c)
				if !bytes.Equal(one.packets, many.packets) {
					t.Errorf("%d workers send other bytes than one", n)
				}
				if one.stats != many.stats {
					t.Errorf("%d workers count\n%+v, one counts\n%+v", n, many.stats, one.stats)
				}
				if !reflect.DeepEqual(one.traffic, many.traffic) {
					t.Errorf("%d workers account for other bytes than one", n)
				}
			})
		})
	}
}

// If the snapshots of a send are spread, they have the same bytes, each client's leave with the same tick of a send, and none is left
// out.
func TestSpreadSnapshotsAreTheSame(t *testing.T) {
	const clients = 7
	sent := func(spread bool, n int, of interest.Interest) (all [clients][][]byte, ticks [3]int) {
		pool := workers.New(n)
		defer pool.Close()
		g := newPlaza(90, Config{Budget: 500, Workers: pool}, of)
		g.s.Spread(spread)
		for range clients {
			g.join(4).lost = func() bool { return true } // so that nothing depends on when acknowledgements come
		}
		for range 90 {
			g.move(int(g.tick))
			g.run(1, func(p *peer, packets []Packet) {
				var b []byte
				for _, q := range packets {
					b = append(b, q.Bytes...)
				}
				all[p.c.id-1] = append(all[p.c.id-1], b)
				ticks[g.tick%3]++
			})
		}
		return all, ticks
	}
	for name, of := range map[string]interest.Interest{"all": nil, "hidden": unveiled()} {
		want, at := sent(false, 1, of)
		for _, workers := range []int{1, 3} {
			got, ticks := sent(true, workers, of)
			for i := range want {
				n := len(got[i]) // the last send may not have left yet
				if n < len(want[i])-1 || !slices.EqualFunc(want[i][:n], got[i], bytes.Equal) {
					t.Errorf("%s, %d workers: client %d is sent other bytes", name, workers, i+1)
				}
			}
			if most := slices.Max(ticks[:]); slices.Max(at[:]) != 30*clients || most > 30*3 {
				t.Errorf("%s: snapshots leave at ticks %v, and %v if they are spread", name, at, ticks)
			}
		}
	}
}
