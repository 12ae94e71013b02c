package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// crowded returns a plaza in which the given number of entities moves randomly in every tick.
func crowded(t *testing.T, things int, c ServerConfig) (*game, []ecs.Entity) {
	t.Helper()
	protocol := func() *ecs.Protocol {
		p := peopled()
		p.Authority("shake", func(w *ecs.World) {
			for e, r := range ecs.Each[struct {
				At *place
				_  ecs.With[tint]
			}](w) {
				draw := w.Rand(e)
				*r.At = place{float32(draw.IntN(1000) - 500), float32(draw.IntN(1000) - 500)}
			}
		})
		return p
	}
	g := newGame(t, protocol, c)
	var all []ecs.Entity
	for n := range things {
		all = append(all, g.server.World().Spawn(place{X: float32(n)}, tint{uint8(n % 200)}))
	}
	return g, all
}

// An entity with ten times the priority is sent far more often. An entity without priority waits longest, but is sent
// eventually.
func TestPriorityDecidesWhoWaits(t *testing.T) {
	t.Parallel()
	var favoured, scorned map[ecs.Entity]bool
	asked := 0
	g, all := crowded(t, 300, ServerConfig{Snapshots: Snapshots{
		Budget: 200,
		Priority: func(_ *ecs.World, e ecs.Entity, client uint32) float32 {
			if asked++; client != 1 {
				t.Errorf("asked about client %d", client)
			}
			switch {
			case favoured[e]:
				return 10
			case scorned[e]:
				return -5
			}
			return 1
		},
	}})
	favoured = map[ecs.Entity]bool{all[7]: true, all[150]: true, all[299]: true}
	scorned = map[ecs.Entity]bool{all[8]: true}
	c := g.join(ClientConfig{}, netsys.Link{Latency: 20 * time.Millisecond})
	g.connect()
	g.until("the client has joined", func() bool { _, ok := c.Loaded(); return ok })
	g.run(60)
	told := map[components.NetID]int{}
	last := map[components.NetID]uint32{}
	for range 3 * 600 {
		g.step()
		for _, e := range all {
			id := g.server.World().NetID(e)
			if tick, ok := c.StateTick(id); ok && tick != last[id] {
				last[id] = tick
				told[id]++
			}
		}
	}
	of := func(e ecs.Entity) int { return told[g.server.World().NetID(e)] }
	plain := of(all[9])
	for e := range favoured {
		if of(e) < 2*plain {
			t.Errorf("one with priority 10 was told of %d times, one with 1 %d times", of(e), plain)
		}
	}
	if n := of(all[8]); n == 0 || n > plain/2 {
		t.Errorf("one without priority was told of %d times, one with 1 %d times", n, plain)
	}
	// Nobody is asked while everything fits.
	for _, e := range all[10:] {
		g.server.World().Despawn(e)
	}
	g.run(60)
	asked = 0
	g.run(60)
	if asked > 0 {
		t.Errorf("asked %d times though all fits", asked)
	}
}

// huge is a component that fits into no datagram.
type huge struct {
	Text [1000]uint32 `net:"raw"`
}

// An entity that fits no snapshot is left out, counted and logged once. Other entities are sent as usual, and clients can
// join.
func TestEntityThatFitsNoSnapshot(t *testing.T) {
	log := &journal{}
	protocol := func() *ecs.Protocol {
		p := plaza()
		ecs.Replicate[huge](p, 0)
		return p
	}
	g := newGame(t, joining(protocol, spawnPawn), ServerConfig{Logger: log.logger()})
	w := g.server.World()
	for n := range 100 {
		w.Spawn(place{X: float32(n)})
	}
	big := huge{}
	for i := range big.Text {
		big.Text[i] = uint32(i*i) * 2654435761
	}
	w.Spawn(place{X: 4}, huge{}) // which is short when it is all zeros
	e := w.Spawn(place{X: 5}, big)
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 30 * time.Millisecond})
	g.connect()
	g.run(240)
	if _, ok := c.Loaded(); !ok {
		t.Fatal("the client never joined")
	}
	if st := g.server.Stats(); st.Oversized == 0 || st.SendErrors > 0 {
		t.Errorf("%d oversized, %d not sent", st.Oversized, st.SendErrors)
	}
	for id := range w.NetID(e) {
		if k, _ := g.server.Knowledge(c.ID(), id+1); k.TooBig != (id+1 == w.NetID(e)) {
			t.Errorf("%+v", k)
		}
	}
	errors := 0
	for _, l := range log.lines {
		if len(l) > 5 && l[:5] == "ERROR" {
			errors++
		}
	}
	if errors != 1 {
		t.Errorf("%d lines about it: %q", errors, log.lines)
	}
	if _, there := c.World().ByNetID(w.NetID(e)); there {
		t.Error("it is there")
	}
	n := 0
	for range ecs.All[struct{ At place }](c.World()) {
		n++
	}
	if n != 102 {
		t.Errorf("%d others, not 102", n)
	}
	ecs.Remove[huge](w, e)
	g.run(60 * 6)
	if _, there := c.World().ByNetID(w.NetID(e)); !there {
		t.Error("it is not there, though it is small now")
	}
	g.mustConverge()
}

func TestSetBudget(t *testing.T) {
	t.Parallel()
	g, _ := crowded(t, 300, ServerConfig{})
	c := g.join(ClientConfig{}, netsys.Link{})
	other := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(30)
	for _, bad := range []struct {
		client uint32
		bytes  int
	}{{c.ID(), 199}, {99, 500}} {
		if err := g.server.SetBudget(bad.client, bad.bytes); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if err := g.server.SetBudget(c.ID(), 250); err != nil {
		t.Fatal(err)
	}
	g.run(30)
	bytes := func(c *Client) uint64 { return c.Stats().Session.PayloadIn }
	one, two := bytes(c), bytes(other)
	g.run(300)
	if one, two = bytes(c)-one, bytes(other)-two; one > 100*250 || two < 3*one {
		t.Errorf("%d bytes at a budget of 250 in 100 snapshots, %d at the default", one, two)
	}
}
