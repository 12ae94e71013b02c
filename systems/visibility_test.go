package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Presence returns the reason for the absence of an entity.
func TestPresence(t *testing.T) {
	t.Parallel()
	hidden := map[ecs.Entity]bool{}
	g := newGame(t, plaza, ServerConfig{Snapshots: Snapshots{Interest: seenIf(func(e ecs.Entity, _ uint32) bool { return !hidden[e] })}})
	w := g.server.World()
	var all []ecs.Entity
	for n := range 5 {
		all = append(all, w.Spawn(place{X: float32(n)}))
	}
	hide := func(e ecs.Entity, on bool) {
		hidden[e] = on
		decide(w, e)
	}
	hide(all[4], true)
	ids := make([]components.NetID, len(all))
	for i, e := range all {
		ids[i] = w.NetID(e)
	}
	c := g.join(ClientConfig{}, netsys.Link{Latency: 20 * time.Millisecond})
	want := func(when string, all ...Presence) {
		t.Helper()
		for i, p := range all {
			if got := c.Presence(ids[i]); got != p {
				t.Errorf("%s: entity %d is %v, not %v", when, i, got, p)
			}
		}
	}
	want("before the session", NotLoaded, NotLoaded)
	g.connect()
	g.until("the client has joined", func() bool { _, ok := c.Loaded(); return ok })
	g.run(60)
	want("at first", Present, Present, Present, Present, NotLoaded)
	w.Despawn(all[1])
	hide(all[2], true)
	g.run(60)
	want("after a death and a hiding", Present, Destroyed, OutOfInterest, Present, NotLoaded)
	tick, ok := c.StateTick(ids[0])
	if _, gone := c.StateTick(ids[2]); !ok || gone || tick != c.ServerTick() {
		t.Errorf("tick %d of %d, %v %v", tick, c.ServerTick(), ok, gone)
	}
	hide(all[2], false)
	hide(all[4], false)
	g.run(60)
	want("after they came into sight", Present, Destroyed, Present, Present, Present)
	hide(all[3], true)
	g.run(30)
	w.Despawn(all[3])
	g.run(60)
	want("after a death out of sight", Present, Destroyed, Present, OutOfInterest, Present)
	if p := c.Presence(999); p != NotLoaded {
		t.Errorf("who never lived is %v", p)
	}
	// Far more deaths than are remembered.
	for range 12 {
		var many []ecs.Entity
		for range 600 {
			many = append(many, w.Spawn(place{}))
		}
		g.run(40)
		for _, e := range many {
			w.Despawn(e)
		}
		g.run(40)
	}
	if n := len(c.mirror.Entities.Gone()); n != mirror.MaxGone {
		t.Errorf("%d deaths are remembered", n)
	}
	want("long after", Present, NotLoaded, Present, NotLoaded, Present)
	checkClient(t, c)
}

// An entity that the newest snapshot had no room for is stale.
func TestStale(t *testing.T) {
	g, all := crowded(t, 300, ServerConfig{Snapshots: Snapshots{Budget: 200}})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.until("the client has joined", func() bool { _, ok := c.Loaded(); return ok })
	g.run(60)
	n := map[Presence]int{}
	for _, e := range all {
		id := g.server.World().NetID(e)
		p := c.Presence(id)
		n[p]++
		tick, ok := c.StateTick(id)
		if !ok || (tick == c.ServerTick()) != (p == Present) {
			t.Errorf("entity %d is %v, as of tick %d of %d", id, p, tick, c.ServerTick())
		}
	}
	if n[Present]+n[Stale] != 300 || n[Present] < 10 || n[Stale] < 100 {
		t.Errorf("%v", n)
	}
}
