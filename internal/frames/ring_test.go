package frames

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// A frame contains each entity once, under its NetID, without its owner-only components.
func TestFrameHoldsTheWorld(t *testing.T) {
	s := newStage(t, 3, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	all := crowd(s, rng, 150)
	own := s.w.Spawn(components.Owner{Client: 7}, spot{1, 2}, level{3}, secret{4})
	both := s.w.Spawn(components.Owner{Client: 7}, level{5})
	s.w.Spawn(components.Owner{Client: 9}, level{6})
	f := s.send(nil)
	if f.Send != 1 || f.Tick != 3 || s.ring.At(1) != f || s.ring.At(2) != nil || s.ring.At(0) != nil {
		t.Fatalf("send %d at tick %d", f.Send, f.Tick)
	}
	alive := 0
	for i := range f.Groups {
		g := &f.Groups[i]
		if g.Known != allSlots || g.Send != 1 {
			t.Errorf("group %d: known %x, send %d", i, g.Known, g.Send)
		}
		for slot := range 64 {
			if g.Alive>>slot&1 == 0 {
				continue
			}
			alive++
			e := f.Entity(i, slot)
			if uint32(s.w.NetID(e)) != g.IDs[slot] {
				t.Errorf("group %d slot %d: NetID %d of %v", i, slot, g.IDs[slot], e)
			}
			if s.layout.RecordWords(g.Masks[slot]) != len(g.Record(slot)) {
				t.Errorf("group %d slot %d: %d words", i, slot, len(g.Record(slot)))
			}
			if hidden := ecs.ComponentOf[secret](s.w.Protocol()); g.Masks[slot]>>hidden.Replicated()&1 != 0 {
				t.Errorf("group %d slot %d: %x tells of what is its owner's alone", i, slot, g.Masks[slot])
			}
		}
	}
	if alive != len(all)+3 {
		t.Errorf("%d entities, want %d", alive, len(all)+3)
	}
	list := f.Owned(7)
	if len(list) != 2 || len(f.Owned(8)) != 0 || len(f.Owned(9)) != 1 {
		t.Fatalf("owned by 7: %v, 8: %v, 9: %v", list, f.Owned(8), f.Owned(9))
	}
	for _, o := range list {
		if e := f.Entity(o.Group, o.Slot); e != own && e != both || f.Owner(o.Group, o.Slot) != 7 {
			t.Errorf("%v is not owned by 7", e)
		}
	}
	levels := ecs.ComponentOf[level](s.w.Protocol())
	if n := s.word(t, f, own, levels, 0); n != 3 {
		t.Errorf("level %d", n)
	}
}

// Entities keep their slots while others are spawned and despawned, and while storage moves.
func TestSlotsAreSticky(t *testing.T) {
	s := newStage(t, 1, nil)
	rng := rand.New(rand.NewPCG(3, 4))
	at := map[components.NetID][2]int{}
	left := map[[2]int]bool{}
	var alive []ecs.Entity
	reused, most := 0, 0
	for range 600 {
		for range rng.IntN(9) {
			alive = append(alive, crowd(s, rng, 1)...)
			if rng.IntN(2) == 0 {
				ecs.Remove[facing](s.w, alive[len(alive)-1])
			}
		}
		for len(alive) > 100 {
			k := rng.IntN(len(alive))
			s.w.Despawn(alive[k])
			alive[k] = alive[len(alive)-1]
			alive = alive[:len(alive)-1]
		}
		f := s.send(nil)
		now := map[components.NetID][2]int{}
		for _, e := range alive {
			id := s.w.NetID(e)
			group, slot, ok := s.ring.Slot(id)
			if !ok || f.Groups[group].Alive>>slot&1 == 0 || f.Groups[group].IDs[slot] != uint32(id) {
				t.Fatalf("send %d: entity %d is not at %d, %d", f.Send, id, group, slot)
			}
			now[id] = [2]int{group, slot}
			if was, ok := at[id]; ok && was != now[id] {
				t.Fatalf("send %d: entity %d went from %v to %v", f.Send, id, was, now[id])
			} else if left[now[id]] && !ok {
				reused++
			}
		}
		for id, p := range at {
			if _, ok := now[id]; !ok {
				left[p] = true
				if _, _, ok := s.ring.Slot(id); ok {
					t.Fatalf("send %d: entity %d is gone and has a slot", f.Send, id)
				}
			}
		}
		at = now
		for i := range f.Groups {
			g := &f.Groups[i]
			for slot := range 64 {
				if g.Alive>>slot&1 != 0 && now[components.NetID(g.IDs[slot])] != [2]int{i, slot} {
					t.Fatalf("send %d: nobody is at %d, %d", f.Send, i, slot)
				}
			}
		}
		most = max(most, len(f.Groups))
	}
	if reused == 0 || most > 8 {
		t.Errorf("%d slots were used again, %d groups for 100 entities", reused, most)
	}
}

// The lines of an entity go on when it gains or loses a component that they do not depend on.
func TestLinesGoOnWithOtherComponents(t *testing.T) {
	play := func(changes bool) (all []int32) {
		s, r := newStage(t, 3, nil), rand.New(rand.NewPCG(1, 9))
		e := s.w.Spawn(spot{100, 100}, speed{1.25, 0.5})
		for n := range 60 {
			f := s.send(func() {
				ecs.Get[speed](s.w, e).X += 0.04 * (r.Float64() - 0.5)
				walk(s.w)
			})
			for word := range 4 {
				all = append(all, s.word(t, f, e, ecs.ComponentOf[spot](s.w.Protocol()), word))
			}
			group, slot, _ := s.ring.Slot(s.w.NetID(e))
			if changed := s.ring.Changes(group).Changed(1<<slot, f.Send-1) != 0; changed != (changes && n > 0 && n%5 == 0) {
				t.Errorf("send %d: its components changed: %v", f.Send, changed)
			}
			switch {
			case changes && n%10 == 4:
				ecs.Add(s.w, e, level{3})
			case changes && n%10 == 9:
				ecs.Remove[level](s.w, e)
			}
		}
		return all
	}
	if a, b := play(false), play(true); !slices.Equal(a, b) {
		t.Errorf("alone\n%v\nand with changes of another component\n%v", a, b)
	}
}

// Storage order decides nothing: two worlds with the same entities in another
// order give the same slots.
func TestNewcomersGetSlotsByNetID(t *testing.T) {
	order := func(swap bool) (places [][2]int) {
		s := newStage(t, 1, nil)
		rng := rand.New(rand.NewPCG(7, 8))
		all := crowd(s, rng, 40)
		if swap {
			for k := range 20 {
				ecs.Remove[level](s.w, all[k])
			}
			for k := range 20 {
				ecs.Add(s.w, all[19-k], level{})
			}
		}
		s.send(nil)
		for _, e := range all {
			group, slot, _ := s.ring.Slot(s.w.NetID(e))
			places = append(places, [2]int{group, slot})
		}
		return places
	}
	a, b := order(false), order(true)
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("entity %d: %v and %v", i, a[i], b[i])
		}
	}
}

// The frames of 6.4 s are kept, within bounds.
func TestFramesAreKept(t *testing.T) {
	for steps, kept := range map[int]uint32{1: 384, 3: leastKept} {
		s := newStage(t, steps, nil)
		for range 500 {
			s.send(nil)
		}
		for send := uint32(0); send < 600; send++ {
			if f := s.ring.At(send); (f != nil) != (send > 500-kept && send <= 500) {
				t.Errorf("%d steps, send %d: %v", steps, send, f != nil)
			}
		}
	}
}

func TestClampedIsCountedAndNamedOnce(t *testing.T) {
	var log bytes.Buffer
	s := newStage(t, 1, &log)
	e := s.w.Spawn(spot{X: -5, Y: float32(math.NaN())}, level{201})
	for range 3 {
		s.send(nil)
	}
	p := s.w.Protocol()
	if a, b := s.ring.Clamped(ecs.ComponentOf[spot](p).Replicated()), s.ring.Clamped(ecs.ComponentOf[level](p).Replicated()); a != 6 || b != 3 {
		t.Errorf("%d and %d clamped", a, b)
	}
	for _, name := range []string{"field=X", "field=Y", "field=N"} {
		if strings.Count(log.String(), name) != 1 {
			t.Errorf("the log says %q", log.String())
		}
	}
	ecs.Get[spot](s.w, e).X = 4
	f := s.send(nil)
	if x := s.word(t, f, e, ecs.ComponentOf[spot](p), 0); x != 4*256 {
		t.Errorf("X is %d", x)
	}
}

func TestCaptureAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	s := newStage(t, 3, nil)
	crowd(s, rand.New(rand.NewPCG(1, 1)), 300)
	for range 2 * Kept(20) {
		s.send(func() { walk(s.w) })
	}
	if n := testing.AllocsPerRun(100, func() { s.send(func() { walk(s.w) }) }); n > 0 {
		t.Errorf("%v allocations a send", n)
	}
}
