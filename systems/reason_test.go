package systems

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// reasons counts how often a client got each reason.
type reasons [WentOutOfSight + 1]int

// passage is a match in which the player stays in hall 1. Entities without an owner enter and leave the hall. Two events of an
// entity are at least two seconds apart, longer than any loss lasts.
type passage struct {
	*game
	t     *testing.T
	r     *rand.Rand
	all   []guest
	truth reasons // as the server knows it
}

// guest is one of these entities, with the tick of its next event.
type guest struct {
	e    ecs.Entity
	rest uint32
}

// hearer records the presence changes of a client.
type hearer struct {
	reasons
	newest map[components.NetID]Reason
}

// hear returns an OnPresence callback that checks each change against earlier changes and the client's world.
func (l *hearer) hear(t *testing.T) func(*ecs.World, PresenceChange) {
	l.newest = map[components.NetID]Reason{}
	return func(w *ecs.World, c PresenceChange) {
		l.reasons[c.Why]++
		if old, known := l.newest[c.ID]; known && old.Enters() == c.Why.Enters() || !known && !c.Why.Enters() {
			t.Errorf("entity %d: %v behind %v", c.ID, c.Why, old)
		}
		if at, there := w.ByNetID(c.ID); there && at != c.Entity || c.Why.Enters() && !there || c.Tick == 0 {
			t.Errorf("entity %d: %+v, in the world is %v", c.ID, c, at)
		}
		if there := w.Alive(c.Entity); there && ecs.Get[tint](w, c.Entity) != nil && ecs.Get[tint](w, c.Entity).Color != tintOf(c.ID) {
			t.Errorf("entity %d has another one's components as it is told of", c.ID)
		}
		l.newest[c.ID] = c.Why
	}
}

// tintOf returns the tint of a guest.
func tintOf(id components.NetID) uint8 { return uint8(id % 200) }

func newPassage(t *testing.T, seed uint64, config ServerConfig) *passage {
	x := &passage{t: t, r: rand.New(rand.NewPCG(seed, 77))}
	config.Seed = seed
	x.game = newGame(t, halls, config)
	for range 40 {
		x.spawn()
	}
	return x
}

// inSight reports whether the client may see a guest: if it sees everything, or if the guest is in hall 1.
func (x *passage) inSight(e ecs.Entity) bool {
	return x.server.config.Snapshots.Interest == nil || ecs.Get[hall](x.server.World(), e).Number == 1
}

func (x *passage) spawn() (e ecs.Entity) {
	w := x.server.World()
	e = w.Spawn(place{X: x.r.Float32() * 100}, tint{}, hall{uint8(x.r.IntN(2))})
	ecs.Get[tint](w, e).Color = tintOf(w.NetID(e))
	x.all = append(x.all, guest{e, x.server.Tick() + 120 + uint32(x.r.IntN(240))})
	return e
}

// act lets guests enter and leave for a tick.
func (x *passage) act() {
	w, now := x.server.World(), x.server.Tick()
	for i := 0; i < len(x.all); i++ {
		g := &x.all[i]
		if now < g.rest {
			continue
		}
		switch in := x.inSight(g.e); {
		case x.r.IntN(3) == 0:
			if in {
				x.truth[Despawned]++
			}
			w.Despawn(g.e)
			x.all = slices.Delete(x.all, i, i+1)
			i--
			if e := x.spawn(); x.inSight(e) {
				x.truth[Spawned]++
			}
			continue
		case x.r.IntN(3) == 0: // it gets other components, and stays where it is
			if ecs.Has[shots](w, g.e) {
				ecs.Remove[shots](w, g.e)
			} else {
				ecs.Add(w, g.e, shots{})
			}
		default:
			ecs.Get[hall](w, g.e).Number ^= 1
			switch now := x.inSight(g.e); {
			case now && !in:
				x.truth[CameIntoSight]++
			case in && !now:
				x.truth[WentOutOfSight]++
			}
		}
		g.rest = now + 120 + uint32(x.r.IntN(240))
	}
}

// OnPresence reports the true reason whenever an entity enters or leaves the world of a client, under loss, reordering,
// duplication and small budgets. A late joiner gets the reason Joined for existing entities.
func TestReasonsAreTrue(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]Interest{
		"everything": nil, "halls": Same[hall](), "filter": Filter(func(me struct{ Hall *hall }, it struct{ Hall *hall }) bool { return *me.Hall == *it.Hall }),
	} {
		t.Run(name, func(t *testing.T) {
			seeds(t, 4, func(t *testing.T, seed uint64) {
				config := ServerConfig{Snapshots: Snapshots{Interest: of}}
				if seed%3 == 0 {
					config.Snapshots.Budget = 500
				}
				x := newPassage(t, seed, config)
				link := netsys.Link{Latency: 60 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.06 * float64(seed%5), Duplicate: 0.05}
				var first, late hearer
				x.join(ClientConfig{OnPresence: first.hear(t)}, link)
				x.connect()
				x.run(60)
				there := first.reasons[Joined]
				if first.reasons[Joined] = 0; first.reasons != (reasons{}) || there < 10 {
					t.Fatalf("joined with %d, and was told %v", there, first.reasons)
				}
				for range 1500 {
					x.act()
					x.step()
				}
				x.run(120)
				if first.reasons != x.truth {
					t.Errorf("the client was told %v, and it was %v", first.reasons, x.truth)
				}
				for why := Spawned; why <= WentOutOfSight; why++ {
					if first.reasons[why] < 10 && (of != nil || why == Spawned || why == Despawned) {
						t.Errorf("%v was told %d times", why, first.reasons[why])
					}
				}
				// The second one stands in hall 0. It spawns in sight of the first where all is.
				x.join(ClientConfig{OnPresence: late.hear(t)}, link)
				x.connect()
				x.run(120)
				want := 1
				for _, g := range x.all {
					if of == nil || !x.inSight(g.e) {
						want++
					}
				}
				if of == nil {
					want++
				}
				if joined := late.reasons[Joined]; joined != want || late.reasons != (reasons{joined}) {
					t.Errorf("joined later and was told %v, there were %d", late.reasons, want)
				}
			})
		})
	}
}

// OnPresence also works if every client simulates everything.
func TestReasonsWhereAllIsSimulated(t *testing.T) {
	for name, policies := range map[string]policy.Model{"rollback": policy.Rollback{}, "lockstep": policy.Lockstep{}} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t, halls, ServerConfig{Model: policies})
			var first, late hearer
			link := netsys.Link{Latency: 20 * time.Millisecond}
			g.join(ClientConfig{OnPresence: first.hear(t)}, link)
			g.connect()
			g.run(60)
			if first.reasons != (reasons{Spawned: 1}) {
				t.Errorf("alone and was told %v", first.reasons)
			}
			k := g.join(ClientConfig{OnPresence: late.hear(t)}, link)
			g.connect()
			g.run(60)
			if first.reasons != (reasons{Spawned: 2}) || late.reasons != (reasons{Joined: 1, Spawned: 1}) {
				t.Errorf("two: the first was told %v, the second %v", first.reasons, late.reasons)
			}
			if err := k.Close(g.now); err != nil {
				t.Fatal(err)
			}
			g.clients = g.clients[:1]
			g.run(120)
			if first.reasons != (reasons{Spawned: 2, Despawned: 1}) {
				t.Errorf("the other one left, and the first was told %v", first.reasons)
			}
		})
	}
}

// An entity that moves within sight from one group to another neither enters nor leaves.
func TestMovesWithinSightAreNoNews(t *testing.T) {
	g := newGame(t, halls, ServerConfig{Snapshots: Snapshots{Interest: &Grid[place]{Cell: 10, Radius: 400}}})
	w := g.server.World()
	var all []ecs.Entity
	for n := range 20 {
		e := w.Spawn(place{X: float32(n)}, tint{}, hall{1})
		ecs.Get[tint](w, e).Color = tintOf(w.NetID(e))
		all = append(all, e)
	}
	var l hearer
	g.join(ClientConfig{OnPresence: l.hear(t)}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.1})
	g.connect()
	for n := range 600 {
		for i, e := range all {
			ecs.Get[place](w, e).X = float32((n*(i+1)/4)%200 - 100)
		}
		g.step()
	}
	if there := l.reasons[Joined]; there != 21 || l.reasons != (reasons{there}) {
		t.Errorf("21 entities in sight all the time: told %v", l.reasons)
	}
}
