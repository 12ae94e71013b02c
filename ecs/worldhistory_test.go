package ecs_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type tally struct {
	Red, Blue int32 `net:"raw"`
}

// lot is a row that Simulate spawns for an owner.
type lot struct {
	Owner components.Owner
	Place place
	Cool  cooldown
}

func historyProtocol() *ecs.Protocol {
	p := kitProtocol()
	ecs.Singleton[tally](p, 0)
	p.Simulate("breed", func(w *ecs.World) {
		for e, r := range ecs.EachInOrder[struct {
			Owner *components.Owner
			Place *place
		}](w) {
			draw := w.Rand(e)
			r.Place.X += int32(draw.IntN(9))
			switch draw.IntN(40) {
			case 0, 1:
				w.Despawn(e)
			case 2:
				ecs.Spawn(w, lot{*r.Owner, *r.Place, cooldown{w.Tick()}})
			case 3:
				w.Despawn(ecs.Spawn(w, lot{Owner: *r.Owner})) // a name is used up
			}
		}
	})
	return p
}

// known is all that a world holds of an entity.
type known struct {
	id   components.NetID
	has  [9]bool
	own  components.Owner
	key  ecs.SpawnKey
	push push
	rest image
}

func knownOf(w *ecs.World, e ecs.Entity) (k known) {
	k.id, k.rest = w.NetID(e), imageOf(w, e)
	take(w, e, &k.own)
	take(w, e, &k.key)
	take(w, e, &k.push)
	k.has = [9]bool{
		ecs.Has[place](w, e), ecs.Has[speed](w, e), ecs.Has[health](w, e), ecs.Has[odd](w, e), ecs.Has[flag](w, e),
		ecs.Has[cooldown](w, e), ecs.Has[hat](w, e), ecs.Has[components.Owner](w, e), ecs.Has[push](w, e),
	}
	return k
}

// model is a deep copy of a world, taken by looking at it from outside.
type model struct {
	tick  uint32
	hash  uint64
	tally tally
	alive map[ecs.Entity]known
	draws map[ecs.Entity]uint64

	from   *model // that was played to get here,
	course uint64 // by this seed
}

// chronicle is a world with whom it has ever seen.
type chronicle struct {
	w    *ecs.World
	seen map[ecs.Entity]bool
	ids  map[components.NetID]bool
}

func (c *chronicle) model() *model {
	m := &model{tick: c.w.Tick(), hash: c.w.Hash(), tally: ecs.Single[tally](c.w), alive: map[ecs.Entity]known{}, draws: map[ecs.Entity]uint64{}}
	look := func(e ecs.Entity) {
		c.seen[e], c.ids[c.w.NetID(e)] = true, true
		m.alive[e] = knownOf(c.w, e)
		draw := c.w.Rand(e)
		m.draws[e] = draw.Uint64()
	}
	for e := range ecs.All[struct{ Place place }](c.w) {
		look(e)
	}
	for e := range ecs.All[struct {
		Hat hat
		_   ecs.Without[place]
	}](c.w) {
		look(e)
	}
	return m
}

// equals checks a world against a model, the dead and their names included.
func (c *chronicle) equals(t *testing.T, m *model) {
	t.Helper()
	got := c.model()
	if got.tick != m.tick || got.hash != m.hash || got.tally != m.tally || !maps.Equal(got.draws, m.draws) {
		t.Fatalf("tick %d, hash %x, tally %v, want %d, %x, %v; or draws differ", got.tick, got.hash, got.tally, m.tick, m.hash, m.tally)
	}
	for e, want := range m.alive {
		if k, there := got.alive[e]; !there || k != want {
			t.Fatalf("%v: %+v (%t), want %+v", e, k, there, want)
		}
	}
	names := map[components.NetID]ecs.Entity{}
	for e := range c.seen {
		k, there := m.alive[e]
		if c.w.Alive(e) != (there || k.id == 0 && c.bare(e)) {
			t.Fatalf("%v: alive is %t", e, c.w.Alive(e))
		}
		if there && k.id != 0 {
			names[k.id] = e
		}
	}
	for id := range c.ids {
		e, known := c.w.ByNetID(id)
		if want, there := names[id]; known != there && !c.single(id) || known && there && e != want {
			t.Fatalf("NetID %d is %v (%t), want %v (%t)", id, e, known, want, there)
		}
	}
}

// bare reports whether an entity lives that model does not find.
func (c *chronicle) bare(e ecs.Entity) bool {
	return c.w.Alive(e) && !ecs.Has[place](c.w, e) && !ecs.Has[hat](c.w, e)
}

func (c *chronicle) single(id components.NetID) bool {
	e, ok := c.w.ByNetID(id)
	return ok && (ecs.Has[tally](c.w, e) || c.bare(e))
}

// play takes one tick: what follows from the seed and the state, and nothing else.
func (c *chronicle) play(seed uint64, tick uint32) {
	w := c.w
	r := ecs.NewRand(seed, uint64(tick))
	w.SetTick(tick)
	for owner := range uint32(4) {
		if r.IntN(4) > 0 {
			w.SetInputSequence(owner+1, tick*3+owner)
		}
	}
	if r.IntN(20) == 0 {
		w.ForgetInputs(uint32(r.IntN(4)) + 1)
	}
	var es []ecs.Entity
	for e := range ecs.EachInOrder[placeRow](w) {
		es = append(es, e)
	}
	for range r.IntN(12) {
		c.mutate(es, &r, tick)
	}
	for e := range ecs.All[struct{ Score tally }](w) {
		ecs.Get[tally](w, e).Red += int32(r.IntN(3))
	}
	if r.IntN(3) == 0 {
		system(w, func(w *ecs.World) {
			for range r.IntN(6) {
				c.mutate(es, &r, tick)
			}
		})
	}
	w.SimulateStage().Run(w)
}

func (c *chronicle) mutate(es []ecs.Entity, r *ecs.Rand, tick uint32) {
	w := c.w
	var e ecs.Entity
	if len(es) > 0 {
		if e = es[r.IntN(len(es))]; !w.Alive(e) {
			e = ecs.Entity{}
		}
	}
	n := r.IntN(12)
	if e.IsZero() && n < 8 {
		n = 8 + n%4
	}
	switch n {
	case 0:
		if len(es) > 60 || r.IntN(3) == 0 {
			w.Despawn(e)
		}
	case 1:
		ecs.Add(w, e, speed{int32(tick), 1})
	case 2:
		ecs.Remove[speed](w, e)
	case 3:
		ecs.Add(w, e, hat{uint16(tick)})
	case 4:
		ecs.Add(w, e, odd{B: uint64(tick)})
		ecs.Add(w, e, flag{})
	case 5:
		ecs.Remove[flag](w, e)
		ecs.Remove[hat](w, e)
	case 6:
		change(w, e, func(p *place) { p.Y += int32(r.IntN(100)) })
	case 7:
		ecs.Add(w, e, push{1})
	case 8:
		c.seen[w.Spawn(place{int32(tick), 1}, components.Owner{Client: uint32(r.IntN(5))})] = true
	case 9:
		c.seen[w.Spawn(place{int32(tick), 2}, health{9}, cooldown{tick})] = true
	case 10:
		c.seen[w.Spawn(hat{uint16(tick)})] = true // no NetID
	case 11:
		e := w.Spawn(hat{uint16(tick)})
		ecs.Add(w, e, place{int32(tick), 3})
		c.seen[e] = true
	}
}

func newChronicle(seed uint64) *chronicle {
	return &chronicle{ecs.NewWorld(historyProtocol(), ecs.Config{Seed: seed}), map[ecs.Entity]bool{}, map[components.NetID]bool{}}
}

// Hundreds of ticks of random play with random restores, back and forth, against
// deep copies. What is played again as before must come out the same to the last
// handle and NetID, in whatever storage order; what is played otherwise must not
// spoil the captures of the time undone.
func TestWorldHistoryAgainstDeepCopies(t *testing.T) {
	seeds, ticks := uint64(12), uint32(300)
	if testing.Short() || raceEnabled {
		seeds, ticks = 3, 150
	}
	for seed := range seeds {
		c := newChronicle(seed)
		h := ecs.NewWorldHistory(c.w, 16)
		models := map[uint32]*model{}
		r := ecs.NewRand(seed, 1<<40)
		tick, newest, again, course, from := uint32(0), uint32(0), 0, seed, (*model)(nil)
		for newest < ticks {
			was := models[tick]
			if was != nil && was.from == from && was.course == course {
				again++
				c.equals(t, was)
			} else {
				was = c.model()
				was.from, was.course = from, course
				models[tick] = was
			}
			h.Capture(tick)
			from, newest = was, max(newest, tick)
			if r.IntN(5) == 0 {
				c.w.Shuffle(uint64(r.IntN(1000)))
			}
			c.play(course, tick)
			tick++
			for r.IntN(16) == 0 {
				tick = newest - min(newest, uint32(r.IntN(16)))
				if err := h.Restore(tick); err != nil {
					t.Fatal(err)
				}
				from = models[tick]
				c.equals(t, from)
				if d, differs, err := h.Differs(tick); differs || err != nil {
					t.Fatalf("after the restore: %v, %v", d, err)
				}
				from, course = from.from, from.course
				if r.IntN(3) == 0 {
					course += 1000 // from this tick on
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, tick %d", seed, tick)
			}
		}
		if again < 20 && !testing.Short() && !raceEnabled {
			t.Errorf("seed %d: only %d ticks were played again", seed, again)
		}
	}
}

func TestRestoreBringsBackTheDeadAndTheShapes(t *testing.T) {
	w := newServer()
	a, b := w.Spawn(place{1, 1}, hat{1}), w.Spawn(place{2, 2})
	local := w.Spawn(hat{7})
	h := ecs.NewWorldHistory(w, 4)
	h.Capture(10)
	w.Despawn(a)
	w.Despawn(local)
	c := w.Spawn(place{3, 3})
	ecs.Add(w, b, odd{B: 4})
	ecs.Get[place](w, b).X = 9
	if err := h.Restore(10); err != nil {
		t.Fatal(err)
	}
	equal(t, "the dead", at(w, a), place{1, 1})
	equal(t, "its NetID", w.NetID(a), 1)
	equal(t, "its hat", *ecs.Get[hat](w, a), hat{1})
	equal(t, "without a NetID", *ecs.Get[hat](w, local), hat{7})
	equal(t, "the changed", at(w, b), place{2, 2})
	if ecs.Has[odd](w, b) || w.Alive(c) && c != a {
		t.Error("what came since is still there")
	}
	if _, ok := w.ByNetID(3); ok {
		t.Error("the NetID of what came since is known")
	}
	again := w.Spawn(place{3, 3})
	equal(t, "NetID when spawned again", w.NetID(again), 3)
}

func TestRestoreOfAnUnknownTick(t *testing.T) {
	w := newServer()
	h := ecs.NewWorldHistory(w, 4)
	e := w.Spawn(place{1, 1})
	for tick := range uint32(6) {
		h.Capture(tick)
	}
	for _, tick := range []uint32{1, 6, 1 << 31} {
		if err := h.Restore(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("tick %d: %v", tick, err)
		}
		if _, err := h.At(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("At %d: %v", tick, err)
		}
		if _, _, err := h.Differs(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("Differs %d: %v", tick, err)
		}
	}
	equal(t, "untouched", at(w, e), place{1, 1})
	h.Forget()
	if h.Has(5) || h.Restore(5) == nil {
		t.Error("not forgotten")
	}
	refused(t, func() { ecs.NewWorldHistory(w, 0) }, "at least one")
}

func TestTheWorldHistoryIsForBetweenTicks(t *testing.T) {
	p := kitProtocol()
	var h *ecs.WorldHistory
	p.Simulate("look back", func(w *ecs.World) { h.Restore(0) })
	w := ecs.NewWorld(p, ecs.Config{})
	h = ecs.NewWorldHistory(w, 4)
	e := w.Spawn(place{1, 1})
	h.Capture(0)
	refused(t, func() { w.SimulateStage().Run(w) }, "inside Simulate")
	refused(t, func() {
		system(w, func(w *ecs.World) {
			w.Spawn(place{})
			h.Capture(1)
		})
	}, "changes wait")
	w.Despawn(e)
	system(w, func(w *ecs.World) { h.Restore(0) }) // as the netcode does
	equal(t, "restored in a system", at(w, e), place{1, 1})
	refused(t, func() {
		for range ecs.Each[placeRow](w) {
			w.Shuffle(1)
			h.Restore(0)
		}
	}, "during a walk")
}

// A state from before anything lived, and forward again.
func TestRestoreOfTheEmptyWorldAndForward(t *testing.T) {
	w := newServer()
	h := ecs.NewWorldHistory(w, 4)
	h.Capture(0)
	es := populate(w, 30)
	h.Capture(1)
	hash := w.Hash()
	h.Restore(0)
	if each, all := count(w); each+all != 0 {
		t.Errorf("%d entities", all)
	}
	h.Restore(1)
	equal(t, "hash", w.Hash(), hash)
	for i, e := range es {
		equal(t, "place", at(w, e).X, int32(i))
	}
	h.Restore(0)
	again := populate(w, 30)
	for i := range es {
		equal(t, "handle", again[i], es[i])
	}
	equal(t, "hash of a second time", w.Hash(), hash)
}

// What a client foretold comes and goes with the history.
func TestTheWorldHistoryOfAClient(t *testing.T) {
	p := kitProtocol()
	p.Simulate("shoot", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
			if w.Tick() == 5 && r.Owner.Client == 1 {
				ecs.Spawn(w, lot{Owner: *r.Owner, Place: place{5, 5}})
			}
		}
		if e, _ := w.ByNetID(2); w.Tick() == 5 {
			w.Despawn(e)
		}
	})
	w := ecs.NewWorld(p, ecs.Config{Client: true})
	own, other := replica(w, 1, 1, place{1, 1}, true), replica(w, 2, 7, place{2, 2}, true)
	h := ecs.NewWorldHistory(w, 16)
	step := func(tick uint32) {
		w.SetTick(tick)
		w.SetInputSequence(1, tick)
		w.SimulateStage().Run(w)
	}
	foretold := func(what string, wantSpawns, wantDespawns int) {
		t.Helper()
		spawns, despawns := w.Foretold()
		equal(t, what+": spawns", spawns, wantSpawns)
		equal(t, what+": despawns", despawns, wantDespawns)
	}
	step(4)
	h.Capture(4)
	step(5)
	foretold("first", 1, 1)
	var shot ecs.Entity
	for e, v := range ecs.All[placeValue](w) {
		if v.Place.X == 5 {
			shot = e
		}
	}
	h.Capture(5)
	h.Restore(4)
	foretold("before", 0, 0)
	equal(t, "own", at(w, own), place{1, 1})
	equal(t, "other", at(w, other), place{2, 2})
	h.Restore(5)
	foretold("again", 1, 1)
	w.BeginReplay(4)
	foretold("replay", 1, 0)
	h.Capture(6) // with the spawn out of scope
	past, _ := h.At(6)
	w.EndReplay()
	foretold("replayed", 0, 0)
	if _, there := ecs.GetAt[place](past, shot); there {
		t.Error("what was out of scope shows")
	}
	n := 0
	for range ecs.AllAt[placeValue](past) {
		n++
	}
	equal(t, "in scope", n, 2)
	h.Restore(5)
	foretold("and again", 1, 1)
	equal(t, "of the newest input", w.Revive(2, 4), false)
	h.Restore(4)
	w.SetInputSequence(1, 9)
	h.Restore(4)
	w.SetTick(5)
	w.SimulateStage().Run(w)
	equal(t, "of the input then", w.Revive(2, 4), true)
	h.Restore(6)
	if !w.Parked(shot) {
		t.Error("what was out of scope is in it")
	}
}

// The allocation of handles and NetIDs is part of the state, even where no table
// changed.
func TestRestoreBringsBackWhatIsGivenOutNext(t *testing.T) {
	w := newServer()
	a := w.Spawn(place{1, 1})
	h := ecs.NewWorldHistory(w, 8)
	h.Capture(0)
	system(w, func(w *ecs.World) { w.Despawn(w.Spawn(place{})) }) // never stored
	h.Capture(1)
	second := w.Spawn(place{2, 2})
	h.Restore(0)
	first := w.Spawn(place{2, 2})
	equal(t, "NetID", w.NetID(first), 2)
	h.Restore(1)
	equal(t, "handle", w.Spawn(place{2, 2}), second)
	equal(t, "NetID after a name was used up", w.NetID(second), 3)
	if first == second {
		t.Error("the number of a handle was given out twice")
	}
	h.Restore(1)
	h.Restore(0) // no table differs
	equal(t, "handle of the first time", w.Spawn(place{}), first)
	h.Restore(0)
	w.Despawn(a)
	h.Capture(2)
	next := w.Spawn(place{})
	h.Restore(0)
	w.Spawn(place{}) // as many changes as before, but others
	h.Capture(3)
	h.Restore(2)
	equal(t, "handle after a death", w.Spawn(place{}), next)
	h.Restore(0)
	w.Despawn(w.Spawn(place{}))
	c := w.Spawn(place{})
	w.Despawn(c)
	h.Capture(4)
	h.Restore(0)
	h.Restore(4)
	if w.Alive(c) {
		t.Error("what was dead lives")
	}
	h.Restore(0)
	w.Despawn(a)
	h.Restore(0)
	if b := w.Spawn(place{}); b == a || !w.Alive(a) {
		t.Errorf("%v took the place of %v", b, a)
	}
}

// One handle may get one NetID or another, and one NetID this handle or that.
func TestRestoreBetweenTimesThatNameEntitiesOtherwise(t *testing.T) {
	w := newServer()
	h := ecs.NewWorldHistory(w, 8)
	h.Capture(0)
	a := w.Spawn(place{1, 1})
	b := w.Spawn(place{2, 2})
	h.Capture(1)
	h.Restore(0)
	equal(t, "first", w.Spawn(hat{}), a)
	equal(t, "second", w.Spawn(hat{}), b)
	ecs.Add(w, b, place{2, 2}) // the first name
	ecs.Add(w, a, place{1, 1})
	ecs.Remove[hat](w, a) // to the same row as before
	ecs.Remove[hat](w, b)
	h.Capture(2)
	check := func(what string, idA, idB components.NetID) {
		t.Helper()
		equal(t, what, w.NetID(a), idA)
		equal(t, what, w.NetID(b), idB)
		for _, e := range []ecs.Entity{a, b} {
			if found, _ := w.ByNetID(w.NetID(e)); found != e {
				t.Errorf("%s: %v is found as %v", what, e, found)
			}
			equal(t, what, *ecs.Get[components.NetID](w, e), w.NetID(e))
		}
	}
	check("as played", 2, 1)
	d, differs, _ := h.Differs(1)
	equal(t, "differs", differs, true)
	equal(t, "difference", d, ecs.Difference{NetID: 1, Entity: a, A: "present", B: "absent"})
	h.Restore(1)
	check("once", 1, 2)
	w.Shuffle(1)
	h.Restore(2)
	check("and the other way", 2, 1)
	h.Restore(1)
	check("and back", 1, 2)
}

func TestRestoreBringsBackHolds(t *testing.T) {
	w := newServer()
	ecs.Spawn(w, lot{Owner: components.Owner{Client: 2}})
	h := ecs.NewWorldHistory(w, 2)
	w.Hold(2)
	h.Capture(0)
	w.ReleaseHolds()
	each, _ := count(w)
	equal(t, "released", each, 1)
	h.Restore(0)
	each, _ = count(w)
	equal(t, "held", each, 0)
}

// A checker of determinism for whole ticks needs no more than this: go back,
// shuffle, simulate again, compare.
func TestRestoreShuffleAndDiffersFindWhatDependsOnStorageOrder(t *testing.T) {
	for _, planted := range []bool{false, true} {
		p := kitProtocol()
		p.Simulate("share", func(w *ecs.World) {
			pot := int32(10)
			walk := ecs.EachInOrder[placeRow](w)
			if planted {
				walk = ecs.Each[placeRow](w)
			}
			for e, r := range walk {
				r.Place.X += pot
				if pot--; pot == 5 {
					w.Despawn(e)
					w.Spawn(place{}, speed{})
				}
			}
		})
		w := ecs.NewWorld(p, ecs.Config{})
		populate(w, 30)
		h := ecs.NewWorldHistory(w, 4)
		var found ecs.Difference
		tick, differs := uint32(0), false
		for ; tick < 20 && !differs; tick++ {
			run := func() {
				w.SetTick(tick)
				w.SimulateStage().Run(w)
			}
			h.Capture(tick)
			run()
			h.Capture(tick + 1)
			first := w.Hash()
			if err := h.Restore(tick); err != nil {
				t.Fatal(err)
			}
			w.Shuffle(uint64(tick))
			run()
			found, differs, _ = h.Differs(tick + 1)
			equal(t, "the hash tells as much", w.Hash() != first, differs)
		}
		equal(t, "found", differs, planted)
		if planted && (found.Component != "place" || found.Field != "X" || found.NetID == 0) {
			t.Errorf("found %v", found)
		}
	}
}
