package ecs_test

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
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
	w.Netcode().SetTick(tick)
	for owner := range uint32(4) {
		if r.IntN(4) > 0 {
			w.Netcode().SetInputSequence(owner+1, tick*3+owner)
		}
	}
	if r.IntN(20) == 0 {
		w.Netcode().ForgetInputs(uint32(r.IntN(4)) + 1)
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

// pastRow has an optional component and one that is only asked for.
type pastRow struct {
	Place place
	Cool  cooldown `ecs:"optional"`
	_     ecs.With[speed]
}

// reads checks that a captured state reads as the world was then.
func (c *chronicle) reads(t *testing.T, h *ecs.WorldHistory, tick uint32, m *model) {
	t.Helper()
	p, err := h.At(tick)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for e := range c.seen {
		k := m.alive[e]
		speed, quick := ecs.GetAt[speed](p, e)
		place, placed := ecs.GetAt[place](p, e)
		if quick != k.has[1] || placed != k.has[0] || speed != k.rest.speed || place != k.rest.place {
			t.Fatalf("tick %d: %v was %v (%t) with %v (%t), want %+v", tick, e, place, placed, speed, quick, k)
		}
		if quick && placed {
			want++
		}
	}
	rows := 0
	for e, row := range ecs.AllAt[pastRow](p) {
		rows++
		k := m.alive[e]
		found, _ := p.ByNetID(k.id)
		if row.Place != k.rest.place || row.Cool != k.rest.cool || p.NetID(e) != k.id || found != e {
			t.Fatalf("tick %d: %v reads %+v, NetID %d of %v, want %+v", tick, e, row, p.NetID(e), found, k)
		}
	}
	equal(t, "rows", rows, want)
}

// takeOver gives a world the state of another's history.
func (c *chronicle) takeOver(t *testing.T, h *ecs.WorldHistory, tick uint32) {
	t.Helper()
	b, err := h.AppendState(nil, tick)
	if err == nil {
		err = c.w.Netcode().ReadState(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Hundreds of ticks of random play with random restores, back and forth, against
// deep copies. What is played again as before must come out the same to the last
// handle and NetID, in whatever storage order; what is played otherwise must not
// spoil the captures of the time undone. What is captured reads as the world was. A twin
// that is given the state of a tick, whatever was in it before, goes on as the world does,
// back and forth in a history of its own.
//
//	TACTUS_SEEDS=1000 go test ./ecs -run 'TestWorldHistoryCampaign$' -timeout 30m
func TestWorldHistoryCampaign(t *testing.T) {
	seeds, ticks := 3, uint32(300)
	if testing.Short() || race.Enabled {
		seeds, ticks = 2, 150
	}
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("repeat it alone: TACTUS_SEEDS=%d go test ./ecs -run '^%s$'", seed+1, strings.Replace(t.Name(), "/", "$/^", 1))
				}
			})
			again := backAndForth(t, uint64(seed), ticks)
			if again < 20 && ticks == 300 {
				t.Errorf("only %d ticks were played again", again)
			}
		})
	}
}

// backAndForth plays a world, and returns how many ticks were played again.
func backAndForth(t *testing.T, seed uint64, ticks uint32) (again int) {
	const ring = 16
	c, twin := newChronicle(seed), newChronicle(seed)
	for tick := range uint32(50) {
		twin.play(seed+5, tick) // to be gone
	}
	twin.seen, twin.ids = c.seen, c.ids
	h, twins := ecs.NewWorldHistory(c.w, ring), ecs.NewWorldHistory(twin.w, ring)
	models := map[uint32]*model{}
	r := ecs.NewRand(seed, 1<<40)
	tick, newest, course, from := uint32(0), uint32(0), seed, (*model)(nil)
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
		back := tick - min(tick, uint32(r.IntN(ring)))
		if h.Has(back) {
			c.reads(t, h, back, models[back])
		}
		if tick%37 == 0 && h.Has(back) {
			twin.takeOver(t, h, back)
			twin.equals(t, models[back])
			twin.takeOver(t, h, tick)
			if d, differs := ecs.Differs(c.w, twin.w); differs {
				t.Fatal(d)
			}
		}
		if tick%4 == 0 {
			twin.equals(t, was)
		}
		twins.Capture(tick)
		if r.IntN(5) == 0 {
			c.w.Shuffle(uint64(r.IntN(1000)))
		}
		c.play(course, tick)
		twin.play(course, tick)
		tick++
		for r.IntN(16) == 0 {
			tick = newest - min(newest, uint32(r.IntN(ring)))
			for _, h := range []*ecs.WorldHistory{h, twins} {
				if err := h.Restore(tick); err != nil {
					t.Fatal(err)
				}
				if d, differs, err := h.Differs(tick); differs || err != nil {
					t.Fatalf("after the restore: %v, %v", d, err)
				}
			}
			from = models[tick]
			c.equals(t, from)
			twin.equals(t, from)
			from, course = from.from, from.course
			if r.IntN(3) == 0 {
				course += 1000 // from this tick on
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, tick %d", seed, tick)
		}
	}
	return again
}
