package ecs_test

import (
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

// breeding is a game in which entities come, go and draw.
func breeding(p *ecs.Protocol) {
	ecs.Singleton[tally](p, 0)
	p.Simulate("breed", func(w *ecs.World) {
		for e, r := range ecs.EachInOrder[ownedRow](w) {
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
}

// known is all that a world holds of an entity.
type known struct {
	id   components.NetID
	draw uint64
	mask uint64
	hat  bool
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
	k.draw = first(w, e)
	k.mask, k.hat = w.Netcode().Mask(e), ecs.Has[hat](w, e)
	return k
}

// model is a deep copy of a world, taken by looking at it from outside.
type model struct {
	tick  uint32
	hash  uint64
	alive map[ecs.Entity]known

	from   *model // that was played to get here,
	course uint64 // by this seed
}

// chronicle is a world with all entities that ever existed.
type chronicle struct {
	w    *ecs.World
	seen map[ecs.Entity]bool
	ids  map[components.NetID]bool
}

func (c *chronicle) model() *model {
	m := &model{tick: c.w.Tick(), hash: c.w.Hash(), alive: map[ecs.Entity]known{}}
	look := func(e ecs.Entity) {
		c.seen[e], c.ids[c.w.NetID(e)] = true, true
		m.alive[e] = knownOf(c.w, e)
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
	if got.tick != m.tick || got.hash != m.hash || len(got.alive) != len(m.alive) {
		t.Fatalf("tick %d, hash %x, %d alive, want %d, %x, %d", got.tick, got.hash, len(got.alive), m.tick, m.hash, len(m.alive))
	}
	for e, want := range m.alive {
		if k, there := got.alive[e]; !there || k != want {
			t.Fatalf("%v: %+v (%t), want %+v", e, k, there, want)
		}
	}
	names := map[components.NetID]ecs.Entity{}
	for e := range c.seen {
		k, there := m.alive[e]
		if c.w.Alive(e) != there {
			t.Fatalf("%v: alive is %t", e, c.w.Alive(e))
		}
		if there && k.id != 0 {
			names[k.id] = e
		}
	}
	for id := range c.ids {
		e, known := c.w.ByNetID(id)
		if want, there := names[id]; known != there || e != want {
			t.Fatalf("NetID %d is %v (%t), want %v (%t)", id, e, known, want, there)
		}
	}
}

// play runs one tick, which depends only on the seed and the state.
func (c *chronicle) play(seed uint64, tick uint32) {
	w := c.w
	r := ecs.NewRand(seed, uint64(tick))
	w.Netcode().SetTick(tick)
	for owner := range uint32(4) {
		if r.IntN(2) > 0 {
			w.Netcode().SetInputSequence(owner+1, tick*3+owner)
		}
	}
	if r.IntN(20) == 0 {
		w.Netcode().ForgetInputs(uint32(r.IntN(4)) + 1)
	}
	if r.IntN(4) == 0 { // nothing changes but what is given out next
		system(w, func(w *ecs.World) {
			never := []ecs.Entity{w.Spawn(place{}), w.Spawn(hat{})}
			first := r.IntN(2)
			w.Despawn(never[first])
			w.Despawn(never[1-first])
		})
		return
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
	simulate(w)
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
	return &chronicle{ecs.NewWorld(kitProtocol(breeding), ecs.Config{Seed: seed}), map[ecs.Entity]bool{}, map[components.NetID]bool{}}
}
