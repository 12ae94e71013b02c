package ecs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// luck is what a game makes of random numbers: Good of those of the world, Bad of
// a generator that goes on from draw to draw.
type luck struct {
	Good uint64 `net:"raw"`
	Bad  uint64 `net:"raw"`
}

// luckyWorld is a peer whose Simulate draws for everything that it simulates.
func luckyWorld(client bool) *ecs.World {
	p := ecs.NewProtocol("luck/1")
	ecs.Replicate[luck](p, ecs.Predicted)
	sequential := rand.New(rand.NewPCG(5, 5))
	p.Simulate("draw", func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Luck *luck }](w) {
			draw := w.Rand(e)
			r.Luck.Good += draw.Uint64() ^ draw.Uint64()>>1
			r.Luck.Bad += sequential.Uint64()
		}
	})
	return ecs.NewWorld(p, ecs.Config{Seed: 5, Client: client})
}

// A client that simulates fewer entities than the server, for other ticks, some of
// them again, draws what the server draws. A generator that goes on does not.
func TestDecision1_DrawsArePureFunctions(t *testing.T) {
	const owner, steps = 2, 40
	server, client := luckyWorld(false), luckyWorld(true)
	for i := range uint32(12) {
		server.Spawn(luck{}, components.Owner{Client: i % 4}) // 0 is the server
	}
	var theirs, mine []ecs.Entity
	for e, r := range ecs.All[struct{ Owner components.Owner }](server) {
		if r.Owner.Client == owner {
			theirs = append(theirs, e)
			m := client.Netcode().Replica(server.NetID(e), server.Netcode().Mask(e), true)
			ecs.Get[components.Owner](client, m).Client = owner
			mine = append(mine, m)
		}
	}
	history := ecs.NewHistory(client, steps)
	history.Capture(0)
	predict := func(seq uint32) {
		client.Netcode().SetTick(3 * seq)
		client.Netcode().SetInputSequence(owner, seq)
		client.Netcode().SimulateStage().Run(client)
		history.Capture(seq)
	}
	seen := map[uint64]bool{}
	for seq := uint32(1); seq < steps; seq++ {
		server.Netcode().SetTick(100 + seq + seq/7) // holds move ticks away from sequences
		for o := range uint32(4) {
			server.Netcode().SetInputSequence(o, seq)
		}
		before := ecs.Get[luck](server, theirs[0]).Good
		server.Netcode().SimulateStage().Run(server)
		predict(seq)
		if seq%5 == 0 {
			history.Restore(seq - 3)
			for again := seq - 2; again <= seq; again++ {
				predict(again)
			}
		}
		for i := range mine {
			want, got := ecs.Get[luck](server, theirs[i]), ecs.Get[luck](client, mine[i])
			if got.Good != want.Good {
				t.Fatalf("input %d: entity %d drew %x on the client, %x on the server", seq, client.NetID(mine[i]), got.Good, want.Good)
			}
		}
		drawn := ecs.Get[luck](server, theirs[0]).Good - before
		if seen[drawn] {
			t.Fatalf("input %d drew like an earlier one", seq)
		}
		seen[drawn] = true
	}
	sums := map[uint64]bool{}
	for _, v := range ecs.All[struct{ Luck luck }](server) {
		sums[v.Luck.Good] = true
	}
	if len(sums) != 12 {
		t.Errorf("12 entities drew %d different sums", len(sums))
	}
	if ecs.Get[luck](server, theirs[0]).Bad == ecs.Get[luck](client, mine[0]).Bad {
		t.Error("a sequential generator did not diverge: this test compares nothing")
	}
}

// auction makes who comes first pay most: what it does depends on the order of
// rows.
func auction(inOrder bool) func(w *ecs.World) {
	return func(w *ecs.World) {
		rows := ecs.Each[pouch](w)
		if inOrder {
			rows = ecs.EachInOrder[pouch](w)
		}
		price := int32(7)
		for _, r := range rows {
			r.Purse.Coins += price
			price = price*5%1009 + 1
		}
	}
}

// auctioned is a world of purses in two archetypes after some ticks, with storage
// shuffled between them.
func auctioned(inOrder, shuffled bool) *ecs.World {
	p := ecs.NewProtocol("auction/1")
	ecs.Replicate[purse](p, ecs.Predicted)
	ecs.Local[hat](p, 0)
	p.Simulate("auction", auction(inOrder))
	w := ecs.NewWorld(p, ecs.Config{Seed: 3})
	for i := range 30 {
		if i%3 == 0 {
			w.Spawn(purse{}, hat{})
		} else {
			w.Spawn(purse{})
		}
	}
	for tick := range uint32(20) {
		if shuffled {
			w.Shuffle(uint64(tick))
		}
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	return w
}

// What walks in order of NetID has the same result in any storage order; what does
// not has another, so that shuffling finds it.
func TestDecision2_ResultsDoNotDependOnStorage(t *testing.T) {
	plain, shuffled := auctioned(true, false), auctioned(true, true)
	if a, b := plain.Hash(), shuffled.Hash(); a != b {
		t.Errorf("in order of NetID: hash %x, shuffled %x", a, b)
	}
	if a, b := auctioned(false, false).Hash(), auctioned(false, true).Hash(); a == b {
		t.Error("in storage order: a shuffled world has the same hash, so nothing was shuffled")
	}
	last, rows := components.NetID(0), 0
	for e := range ecs.EachInOrder[pouch](shuffled) {
		if id := shuffled.NetID(e); id <= last {
			t.Fatalf("entity %d after entity %d", id, last)
		} else {
			last = id
		}
		rows++
	}
	equal(t, "rows", rows, 30)
}

// Forced rollback names the system whose result depends on the order, and no other.
func TestDecision2_ForcedRollbackNamesOffenders(t *testing.T) {
	wantDivergence(t, "Coins", divergences(t, "auction", auction(false)), "auction")
	if found := divergences(t, "auction", auction(true)); len(found) > 0 {
		t.Errorf("a system that walks in order is named: %v", found[0])
	}
}

// A NetID is given once and never again, whoever held it and however it went; a
// handle stays good through every change of shape, and dies with its entity.
func TestDecision4_IdentityIsTheNetID(t *testing.T) {
	w := newServer()
	born := map[components.NetID]ecs.Entity{}
	var living []ecs.Entity
	spawn := func(n int) {
		for range n {
			e := w.Spawn(place{X: int32(len(born))})
			if id := w.NetID(e); id == 0 || born[id] != (ecs.Entity{}) {
				t.Fatalf("a new entity has NetID %d, given before to %v", id, born[id])
			}
			born[w.NetID(e)] = e
			living = append(living, e)
		}
	}
	spawn(20)
	for round := range 10 {
		ids := map[ecs.Entity]components.NetID{}
		values := map[ecs.Entity]place{}
		for i, e := range living {
			ids[e], values[e] = w.NetID(e), at(w, e)
			switch (i + round) % 4 {
			case 0:
				ecs.Add(w, e, speed{X: int32(i)})
			case 1:
				ecs.Add(w, e, hat{Feathers: uint16(i)})
			case 2:
				ecs.Remove[speed](w, e)
			}
		}
		w.Shuffle(uint64(round))
		for _, e := range living {
			found, ok := w.ByNetID(ids[e])
			if !ok || found != e || w.NetID(e) != ids[e] || at(w, e) != values[e] {
				t.Fatalf("%v, NetID %d at %v, is now %v, NetID %d at %v", e, ids[e], values[e], found, w.NetID(e), at(w, e))
			}
		}
		// The newest go first: theirs are the numbers that are easily given again.
		dead := slices.Clone(living[len(living)-3:])
		living = living[:len(living)-3]
		for _, e := range dead {
			w.Despawn(e)
		}
		spawn(4)
		for _, e := range dead {
			if w.Alive(e) || w.NetID(e) != 0 || ecs.Has[place](w, e) {
				t.Fatalf("%v is dead and names an entity that came later", e)
			}
		}
	}
	// What was loaded under a number of its own does not lead back to others.
	w.Netcode().Replica(5000, w.Netcode().Mask(living[0]), false)
	w.Netcode().Replica(4000, w.Netcode().Mask(living[0]), false)
	equal(t, "after what was loaded", w.NetID(w.Spawn(place{})), 5001)
}

// Inside a system what is spawned, reshaped and despawned happens at the end of the
// stage, while handles and values of what is spawned can be used at once.
func TestDecision8_ChangesWaitForTheEndOfTheStage(t *testing.T) {
	var made, doomed, naked, dressed ecs.Entity
	shape := func(w *ecs.World) string {
		each, all := count(w)
		var s []string
		for _, e := range []ecs.Entity{doomed, naked, dressed} {
			switch {
			case !w.Alive(e):
				s = append(s, "dead")
			case ecs.Has[hat](w, e):
				s = append(s, "hat")
			default:
				s = append(s, "plain")
			}
		}
		return fmt.Sprint(strings.Join(s, " "), " of ", each, " and ", all)
	}
	var during []string
	w := simulated(false, func(w *ecs.World) {
		walked := 0
		for e, r := range ecs.Each[placeRow](w) { // changes do not disturb the walk
			walked++
			switch e {
			case doomed:
				w.Despawn(e)
			case naked:
				ecs.Add(w, e, hat{Feathers: 2})
				ecs.Remove[hat](w, e)
				ecs.Add(w, e, hat{Feathers: 3})
			case dressed:
				ecs.Remove[hat](w, e)
			}
			r.Place.X++
			if walked == 1 {
				made = w.Spawn(place{X: 40}, hat{Feathers: 1})
				ecs.Get[place](w, made).X = 41
				ecs.Add(w, made, speed{Y: 5})
			}
			during = append(during, shape(w))
		}
		equal(t, "rows walked", walked, 3)
		if !w.Alive(made) || w.NetID(made) == 0 || at(w, made).X != 41 || ecs.Get[speed](w, made) == nil {
			t.Errorf("the handle of what is spawned is not usable: place %v", at(w, made))
		}
	})
	doomed, naked, dressed = w.Spawn(place{}), w.Spawn(place{}), w.Spawn(place{}, hat{})
	before := shape(w)
	w.Netcode().SimulateStage().Run(w)
	for _, s := range during {
		equal(t, "during the stage", s, before)
	}
	equal(t, "before the stage", before, "plain plain hat of 3 and 3")
	equal(t, "after the stage", shape(w), "dead hat plain of 3 and 3")
	equal(t, "what was spawned", at(w, made), place{X: 41})
	equal(t, "its speed", *ecs.Get[speed](w, made), speed{Y: 5})
	equal(t, "what was given", *ecs.Get[hat](w, naked), hat{Feathers: 3})
}

// Outside systems changes happen at once, and a walk that one of them disturbed
// panics instead of going on over rows that moved.
func TestDecision8_AChangeDuringAWalkOutsidePanics(t *testing.T) {
	for name, walk := range map[string]func(w *ecs.World, change func(e ecs.Entity)){
		"Each": func(w *ecs.World, change func(e ecs.Entity)) {
			for e := range ecs.Each[placeRow](w) {
				change(e)
			}
		},
		"EachInOrder": func(w *ecs.World, change func(e ecs.Entity)) {
			for e := range ecs.EachInOrder[placeRow](w) {
				change(e)
			}
		},
		"All": func(w *ecs.World, change func(e ecs.Entity)) {
			for e := range ecs.All[placeValue](w) {
				change(e)
			}
		},
		"Chunks": func(w *ecs.World, change func(e ecs.Entity)) {
			for c := range ecs.Chunks[struct {
				Self  []ecs.Entity
				Place []place
			}](w) {
				change(c.Self[0])
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for what, change := range map[string]func(w *ecs.World, e ecs.Entity){
				"spawn":   func(w *ecs.World, _ ecs.Entity) { w.Spawn(place{}) },
				"despawn": func(w *ecs.World, e ecs.Entity) { w.Despawn(e) },
				"add":     func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{}) },
				"remove":  func(w *ecs.World, e ecs.Entity) { ecs.Remove[speed](w, e) },
			} {
				w := newServer()
				for range 3 {
					w.Spawn(place{}, speed{})
				}
				refused(t, func() {
					walk(w, func(e ecs.Entity) { change(w, e) })
					t.Errorf("%s in %s went unnoticed", what, name)
				}, "walk")
				// What changes values alone is no disturbance.
				walk(w, func(e ecs.Entity) { ecs.Add(w, e, place{X: 1}) })
			}
		})
	}
}
