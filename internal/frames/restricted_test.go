package frames

import (
	"fmt"
	"log/slog"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// restrictedStage returns a stage on which levels are in one restricted set, and facings in another.
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

// said returns what a frame says of each entity without the restricted sets in hidden: its components and words.
func said(s *stage, f *Frame, hidden uint64) (all []string) {
	for g := range f.Groups {
		x := &f.Groups[g]
		for m := x.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			rec, words := x.Record(k), []int32{}
			for set := x.Masks[k]; set != 0; set &= set - 1 {
				n := s.layout.RecordWords(set & -set)
				if hidden&set&-set == 0 {
					words = append(words, rec[:n]...)
				}
				rec = rec[n:]
			}
			all = append(all, fmt.Sprintf("%d: %x: %v", x.IDs[k], x.Masks[k]&^hidden, words))
		}
	}
	slices.Sort(all)
	return all
}

// Messages to a client that does not see a restricted set are the same whether the set exists, whatever its values are, and however they change.
func TestRestrictedSetsRevealNothing(t *testing.T) {
	for seed := range uint64(6) {
		play := func(behind bool) (heard [][]string, with int) {
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
				heard = append(heard, said(s, f, s.ring.restricted[0]), said(s, f, s.ring.restricted[0]|s.ring.restricted[1]))
			}
			for _, e := range all {
				if ecs.Has[level](s.w, e) {
					with++
				}
			}
			return heard, with
		}
		alone, few := play(false)
		crowded, many := play(true)
		if many < few+20 {
			t.Fatalf("seed %d: there is nothing in the sets: %d entities, and %d", seed, few, many)
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

// The line of a position does not bend along a heading that other receivers may see.
func TestRestrictedHeadingBendsNothing(t *testing.T) {
	play := func(heading bool) (all [][]string) {
		shown, hidden := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))
		s := restrictedStage(t)
		for range 50 {
			angle := shown.Float64() * 2 * math.Pi
			e := s.w.Spawn(spot{shown.Float32() * 2000, shown.Float32() * 2000}, speed{2 * math.Cos(angle), 2 * math.Sin(angle)})
			if heading {
				ecs.Add(s.w, e, facing{uint16(int(angle/(2*math.Pi)*65536) + hidden.IntN(200) - 100)})
			}
		}
		for range 60 {
			f := s.send(func() {
				for _, r := range ecs.Each[struct{ Spd *speed }](s.w) {
					if shown.IntN(20) == 0 {
						r.Spd.X, r.Spd.Y = r.Spd.Y, -r.Spd.X
					}
				}
				walk(s.w)
			})
			all = append(all, said(s, f, s.ring.restricted[0]|s.ring.restricted[1]))
		}
		return all
	}
	with := play(true)
	for send, alone := range play(false) {
		if !slices.Equal(alone, with[send]) {
			t.Fatalf("send %d:\n%v\nand with a heading\n%v", send, alone, with[send])
		}
	}
}

// A restricted capture allocates nothing.
func TestRestrictedCaptureAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	s := restrictedStage(t)
	crowd(s, rand.New(rand.NewPCG(1, 1)), 200)
	for range 3 * Kept(20) {
		s.send(func() { walk(s.w) })
	}
	if n := testing.AllocsPerRun(100, func() { s.send(func() { walk(s.w) }) }); n > 0 {
		t.Errorf("%v allocations a send", n)
	}
}
