package systems

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// A client joins a changing world of more than ten datagrams at 25 % loss. The entities of others appear together, exactly as
// of one tick, and the client then keeps up. Owner state does not wait for that.
func TestJoinIsConsistentAtOneTick(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		things, budget int
	}{{2600, 0}, {400, 300}, {20, 0}, {0, 0}} {
		t.Run(fmt.Sprintf("%d in %d", test.things, test.budget), func(t *testing.T) {
			seeds(t, 1, func(t *testing.T, seed uint64) { joinAtOnce(t, seed, test.things, test.budget) })
		})
	}
}

func joinAtOnce(t *testing.T, seed uint64, things, budget int) {
	r := rand.New(rand.NewPCG(seed, 31))
	g, all := crowded(t, things, ServerConfig{Seed: seed, Snapshots: Snapshots{Budget: budget}})
	w := g.server.World()
	old := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.run(30)
	// past is the state of the world at each send.
	type thing struct {
		at    place
		owner uint32
	}
	past := map[uint32]map[components.NetID]thing{}
	note := func() {
		if g.server.link.tick%3 != 0 {
			return
		}
		now := map[components.NetID]thing{}
		schema := ecs.ComponentOf[place](w.Protocol())
		for e, x := range ecs.All[struct{ At place }](w) {
			y := thing{at: x.At}
			words := make([]int32, 2)
			schema.Schema.Quantize(words, 2, ptr(&y.at), 1)
			schema.Schema.Dequantize(ptr(&y.at), words, 2, 1)
			if own := ecs.Get[components.Owner](w, e); own != nil {
				y.owner = own.Client
			}
			now[w.NetID(e)] = y
		}
		past[g.server.link.tick] = now
	}
	loads := 0
	var c *Client
	link := netsys.Link{Latency: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.25}
	c = g.join(ClientConfig{Gather: gatherPush(), Loaded: func(cw *ecs.World, tick uint32) {
		loads++
		want := past[tick]
		if want == nil {
			t.Fatalf("loaded at tick %d, at which nothing was sent", tick)
		}
		others := 0
		for e, x := range ecs.All[struct{ At place }](cw) {
			id := cw.NetID(e)
			truth, there := want[id]
			if truth.owner == c.ID() {
				continue
			}
			others++
			if !there || truth.at != x.At {
				t.Fatalf("loaded at tick %d: entity %d is at %v, the server had it at %v (at all: %v)", tick, id, x.At, truth.at, there)
			}
		}
		mine := 0
		for _, truth := range want {
			if truth.owner == c.ID() {
				mine++
			}
		}
		if others != len(want)-mine {
			t.Fatalf("loaded at tick %d: %d entities of %d", tick, others, len(want)-mine)
		}
	}}, link)
	early := false
	for n := 0; loads == 0; n++ {
		if n > 60*60 {
			t.Fatal("never loaded")
		}
		g.step()
		note()
		for len(all) > 0 && r.IntN(3) == 0 && things > 30 {
			i := r.IntN(len(all))
			w.Despawn(all[i])
			all[i] = w.Spawn(place{X: float32(r.IntN(100))}, tint{3})
			break
		}
		if c.Connected() && loads == 0 {
			for e := range ecs.All[struct{ At place }](c.World()) {
				if own := ecs.Get[components.Owner](c.World(), e); own == nil || own.Client != c.ID() {
					t.Fatalf("entity %d appeared before the others", c.World().NetID(e))
				}
				early = true
			}
		}
	}
	tick, ok := c.Loaded()
	if !ok || past[tick] == nil {
		t.Errorf("loaded at tick %d: %v", tick, ok)
	}
	if things > 1000 && !early {
		t.Error("the own pawn had to wait for everybody")
	}
	g.run(60)
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
	if st := g.server.Stats(); st.Snapshots.Largest > g.server.config.Snapshots.Budget {
		t.Errorf("a snapshot of %d bytes", st.Snapshots.Largest)
	}
	g.settle()
	for _, c := range []*Client{old, c} {
		if err := Difference(g.server, c); err != nil {
			t.Errorf("client %d: %v", c.ID(), err)
		}
		if st := c.Stats(); st.MalformedMessages+st.Renewals > 0 {
			t.Errorf("client %d: %+v", c.ID(), st)
		}
		checkClient(t, c)
	}
	if g.server.snapshots.Stats().Joins != 0 {
		t.Errorf("%d states are kept for nobody", g.server.snapshots.Stats().Joins)
	}
}

// A client that has lost its baselines requests full states, and no entity disappears from its view.
func TestRenewalTakesNothingOffTheScreen(t *testing.T) {
	t.Parallel()
	for _, things := range []int{50, 500} {
		g, all := crowded(t, things, ServerConfig{})
		c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.05})
		g.connect()
		g.until("the client has joined", func() bool { _, ok := c.Loaded(); return ok })
		g.run(120)
		for _, x := range slices.Concat(c.mirror.Store.World.Groups, c.mirror.Store.Own.Groups) {
			for i, st := range x.Ring {
				c.mirror.Store.Memory.Release(st)
				x.Ring[i] = nil
			}
		}
		for range 300 {
			g.step()
			n := 0
			for range ecs.All[struct{ At place }](c.World()) {
				n++
			}
			if n != len(all)+1 {
				t.Fatalf("%d of %d entities are left", n, len(all)+1)
			}
		}
		if n := c.Stats().Renewals; n == 0 || n > 3 {
			t.Errorf("%d renewals", n)
		}
		g.settle()
		if err := Difference(g.server, c); err != nil {
			t.Error(err)
		}
		checkClient(t, c)
	}
}
