package capture

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// restrictedStage is a stage on which levels are in one restricted set, and facings in another.
func restrictedStage(t testing.TB) *stage {
	s := newStage(t, 3, nil)
	p := s.w.Protocol()
	level, facing := ecs.ComponentOf[level](p), ecs.ComponentOf[facing](p)
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		tables = append(tables, c.Schema)
	}
	sets := []uint64{1 << level.Replicated(), 1 << facing.Replicated()}
	s.ring = New(Config{World: s.w, Layout: delta.NewLayout(tables, 3, 20), Steps: 3, Restricted: sets, Logger: slog.New(slog.DiscardHandler)})
	return s
}

// said is what a frame says without the restricted sets that a choice leaves out: of each entity, in which slot it stands of the group
// with which first entity, its components and words.
func said(s *stage, f *Frame, restricted uint8) (all []string) {
	for g := range f.Groups {
		x, first := &f.Groups[g], uint32(0)
		for k := range delta.GroupSize {
			if x.Alive>>k&1 == 0 {
				continue
			}
			mask := x.Masks[k]
			if s.ring.restrictions.setsOf(mask) != f.Restricted(g, k)&restricted {
				continue
			}
			if first == 0 {
				first = x.IDs[k]
			}
			all = append(all, fmt.Sprintf("%d: %x in slot %d beside %d: %v", x.IDs[k], mask, k, first, x.Record(k)))
		}
	}
	slices.Sort(all)
	return all
}

// An entity has one slot with all of its components, and one for each choice of its restricted sets. For each slot the frame
// knows the restricted sets of the entity, and its slot with all components.
func TestVariants(t *testing.T) {
	s := restrictedStage(t)
	me := s.w.Spawn(components.Owner{Client: 7}, spot{1, 2}, level{3}, facing{5})
	plain, card := s.w.Spawn(spot{3, 4}), s.w.Spawn(spot{5, 6}, level{9})
	f := s.send(nil)
	want := func(e ecs.Entity, has uint8, masks ...uint64) {
		t.Helper()
		n := 0
		for g, k := range s.ring.Slots(s.w.NetID(e)) {
			x := &f.Groups[g]
			if x.Alive>>k&1 == 0 || f.Entity(g, k) != e || f.Restricted(g, k) != has {
				t.Errorf("%v is not in slot %d of group %d, or it has restricted %b", e, k, g, f.Restricted(g, k))
			}
			whole, slot := f.Whole(g, k)
			if first, at, ok := s.ring.Slot(s.w.NetID(e)); !ok || whole != first || slot != at {
				t.Errorf("it is whole in %d %d, not in %d %d", first, at, whole, slot)
			}
			if n >= len(masks) || x.Masks[k] != masks[n] || len(x.Record(k)) != s.layout.RecordWords(masks[n]) {
				t.Fatalf("place %d of %v has %b, %d words", n, e, x.Masks[k], len(x.Record(k)))
			}
			n++
		}
		if n != len(masks) {
			t.Errorf("%v is in %d places", e, n)
		}
	}
	const owner, at, face, lvl = 1, 4, 8, 16 // by order of registration
	want(me, 3, owner|at|face|lvl, owner|at|face, owner|at|lvl, owner|at)
	want(plain, 0, at)
	want(card, 1, at|lvl, at)
	if n, m := len(f.Owned(7)), len(f.Partly(7)); n != 1 || m != 3 {
		t.Errorf("client 7 owns %d and in part %d", n, m)
	}
	n := 0
	for _, g := range f.Distinct(nil) {
		for k := range delta.GroupSize {
			if g.Alive>>k&1 == 0 {
				continue
			}
			n++
			if e, ok := s.w.ByNetID(components.NetID(g.IDs[k])); !ok || s.w.Netcode().Mask(e) != g.Masks[k] {
				t.Errorf("entity %d has %b here", g.IDs[k], g.Masks[k])
			}
		}
	}
	if n != 3 {
		t.Errorf("%d entities, each once", n)
	}
}

// A slot without a restricted set does not depend on the set: neither on its values nor on its presence, and not on its
// changes.
func TestVariantsRevealNothing(t *testing.T) {
	for seed := range uint64(6) {
		play := func(behind bool) (heard [][]string, places int) {
			shown, hidden := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
			s := restrictedStage(t)
			var all []ecs.Entity
			come := func() {
				e := s.w.Spawn(spot{shown.Float32() * 2000, shown.Float32() * 2000}, speed{shown.Float64()*4 - 2, shown.Float64()*4 - 2})
				if shown.IntN(2) == 0 {
					ecs.Add(s.w, e, facing{uint16(shown.IntN(1 << 16))})
				}
				all = append(all, e)
			}
			for range 100 {
				come()
			}
			for range 80 {
				f := s.send(func() {
					walk(s.w)
					for range 3 {
						i := hidden.IntN(len(all))
						switch e := all[i]; {
						case !behind:
						case ecs.Has[level](s.w, e) && hidden.IntN(2) == 0:
							ecs.Remove[level](s.w, e)
						default:
							ecs.Add(s.w, e, level{uint8(hidden.IntN(6))})
						}
					}
					switch i := shown.IntN(len(all)); shown.IntN(6) {
					case 0:
						come()
					case 1:
						s.w.Despawn(all[i])
						all = slices.Delete(all, i, i+1)
					case 2:
						if e := all[i]; ecs.Has[facing](s.w, e) {
							ecs.Remove[facing](s.w, e)
						} else {
							ecs.Add(s.w, e, facing{uint16(shown.IntN(1 << 16))})
						}
					}
				})
				heard = append(heard, said(s, f, 0), said(s, f, 2))
				places = max(places, len(s.ring.slots.places)-len(all))
			}
			return heard, places
		}
		alone, few := play(false)
		crowded, many := play(true)
		if many < few+20 {
			t.Fatalf("seed %d: there is nothing in the sets: %d places more, and %d", seed, few, many)
		}
		for i := range alone {
			if !slices.Equal(alone[i], crowded[i]) {
				for n, x := range alone[i] {
					if n >= len(crowded[i]) || x != crowded[i][n] {
						t.Fatalf("seed %d, what is said %d:\n%s\nand with something in the set\n%s", seed, i, x, crowded[i][min(n, len(crowded[i])-1)])
					}
				}
				t.Fatalf("seed %d, what is said %d: more with something in the set", seed, i)
			}
		}
	}
}

// A restricted capture allocates nothing.
func TestVariantsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	s := restrictedStage(t)
	crowd(s, rand.New(rand.NewPCG(1, 1)), 200)
	for range 3 * Kept {
		s.send(func() { walk(s.w) })
	}
	if n := testing.AllocsPerRun(100, func() { s.send(func() { walk(s.w) }) }); n > 0 {
		t.Errorf("%v allocations a send", n)
	}
}
