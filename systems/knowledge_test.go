package systems

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Server.Knowledge describes exactly what the client has.
func TestKnowsWhatTheClientHas(t *testing.T) {
	var hidden ecs.Entity
	g := newGame(t, peopled, ServerConfig{Snapshots: Snapshots{Interest: seenIf(func(e ecs.Entity, _ uint32) bool { return e != hidden })}})
	w := g.server.World()
	for n := range 100 {
		w.Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05})
	g.connect()
	g.run(120)
	if _, ok := g.server.Knowledge(99, 1); ok {
		t.Error("it knows of a client that is not there")
	}
	if k, ok := g.server.Knowledge(c.ID(), 5000); !ok || k.Exists {
		t.Errorf("an entity that is not there: %+v, %v", k, ok)
	}
	for range 60 {
		g.step()
		for id := range components.NetID(100) {
			k, ok := g.server.Knowledge(c.ID(), id+1)
			if !ok || !k.Exists || k.Joining || k.Held == 0 || k.Held > k.Sent || k.Sent > k.Send || k.Baseline > k.Held {
				t.Fatalf("%+v, %v", k, ok)
			}
			// An acknowledged state has arrived at the client.
			if tick, known := c.StateTick(id + 1); !known || k.Held*g.server.shape.sendEvery > tick {
				t.Fatalf("entity %d: acknowledged is send %d, the client has tick %d (%v)", id+1, k.Held, tick, known)
			}
		}
	}
	own := func() Knowledge {
		for e, r := range ecs.All[ownerRow](w) {
			if r.Owner.Client == c.ID() {
				k, _ := g.server.Knowledge(c.ID(), w.NetID(e))
				return k
			}
		}
		t.Fatal("the client owns nothing")
		return Knowledge{}
	}
	if k := own(); !k.Own || k.OwnHeld == 0 || k.OwnHeld > k.OwnSent || k.OwnSent > k.Send || k.Priority != 1 {
		t.Errorf("its own: %+v", k)
	}
	hidden, _ = w.ByNetID(7)
	decide(w, hidden)
	g.run(60)
	if k, _ := g.server.Knowledge(c.ID(), 7); !k.Hidden || k.Held != 0 || k.Baseline != 0 {
		t.Errorf("hidden: %+v", k)
	}
	if k, _ := g.server.Knowledge(c.ID(), 8); k.Hidden {
		t.Errorf("not hidden: %+v", k)
	}
}

// Without loss, the next snapshot encodes an entity against the newest state that the client has.
func TestKnowsWhatComesNext(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{})
	w := g.server.World()
	for n := range 20 {
		w.Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(60)
	for range 20 {
		g.step()
		for id := range components.NetID(20) {
			if k, _ := g.server.Knowledge(c.ID(), id+1); k.Baseline != k.Held || k.Baseline == 0 {
				t.Fatalf("%+v", k)
			}
		}
	}
}

// If the budget does not hold everything, the entity that was sent last has gained the least priority.
func TestKnowsOfCompetition(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Snapshots: Snapshots{Budget: 200, Priority: func(_ *ecs.World, _ ecs.Entity, _ uint32) float32 { return 3 }}})
	w := g.server.World()
	var all []ecs.Entity
	for n := range 300 {
		all = append(all, w.Spawn(place{X: float32(n)}, tint{uint8(n % 200)}))
	}
	c := g.join(ClientConfig{}, netsys.Link{Latency: 20 * time.Millisecond})
	g.connect()
	var told, waits int
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 600 {
		for _, e := range all {
			ecs.Get[place](w, e).Y = rng.Float32()*900 - 450
		}
		g.step()
		if n < 500 {
			continue
		}
		for id := range components.NetID(300) {
			k, _ := g.server.Knowledge(c.ID(), id+1)
			if k.Priority != 3 {
				t.Fatalf("%+v", k)
			}
			if k.OverBudget && k.Sent == k.Send && k.Gained == 0 {
				told++
			}
			if k.OverBudget && k.Sent < k.Send && k.Gained > 0 {
				waits++
			}
		}
	}
	if told == 0 || waits == 0 {
		t.Errorf("%d were told of, %d wait", told, waits)
	}
	for st := range g.server.Clients {
		if st.Budget != 200 || st.Allowed != 200 || !st.OverBudget || !st.Address.IsValid() {
			t.Errorf("%+v", st)
		}
	}
}

func TestKnowsEverywhere(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{Model: policy.Rollback{}})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.until("the server knows it", func() bool { return g.server.sessions.peers.Len() > 0 })
	if k, ok := g.server.Knowledge(1, 1); !ok || !k.Everywhere || k.Exists || !k.Joining {
		t.Errorf("before it plays: %+v, %v", k, ok)
	}
	g.connect()
	g.run(30)
	if k, ok := g.server.Knowledge(c.ID(), 1); !ok || !k.Everywhere || !k.Exists || !k.Own || k.Joining {
		t.Errorf("its own: %+v, %v", k, ok)
	}
	if k, ok := g.server.Knowledge(c.ID(), 99); !ok || !k.Everywhere || k.Exists || k.Own {
		t.Errorf("one that is not there: %+v, %v", k, ok)
	}
	if all := g.server.TrafficByArchetype(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// The bytes of an archetype are the bytes of its entities.
func TestTrafficByArchetype(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{})
	g.server.AccountEntities(true)
	w := g.server.World()
	for n := range 40 {
		w.Spawn(place{X: float32(n)}, tint{uint8(n)})
		w.Spawn(place{X: float32(n)})
	}
	w.Spawn(tint{3})
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(30)
	sum, entities := 0.0, 0
	all := g.server.TrafficByArchetype()
	for _, a := range all {
		sum += a.Bytes
		entities += a.Entities
	}
	want := 0.0
	for _, x := range g.server.TopEntities(nil, 1000) {
		want += x.Bytes
	}
	if len(all) != 3 || entities != 81 || want == 0 || sum < 0.999*want || sum > 1.001*want {
		t.Errorf("%d archetypes of %d entities, %v bytes, want %v", len(all), entities, sum, want)
	}
}

type countingProbe struct{ begun, ended int }

func (p *countingProbe) Begin() { p.begun++ }
func (p *countingProbe) End()   { p.ended++ }

// A probe is called at each wake-up until it is removed.
func TestProbe(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{WakeEvery: 3})
	var p countingProbe
	g.server.SetProbe(&p)
	g.run(30)
	begun := p.begun
	if begun < 9 || begun > 11 || p.ended != begun {
		t.Errorf("%+v in 30 ticks", p)
	}
	g.server.SetProbe(nil)
	g.run(30)
	if p.begun != begun {
		t.Errorf("%+v", p)
	}
	if c := g.server.Config(); c.WakeEvery != 3 || c.TickRate != ecs.DefaultTickRate || c.Session.Key != [32]byte{} {
		t.Errorf("%+v", c)
	}
}
