package ecs_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// plain has no tags: each protocol below gives its own.
type plain struct{ X, Y float32 }

func lines(name string, x, y string, build ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := ecs.NewProtocol(name)
	ecs.ReplicateFields[plain](p, ecs.Predicted, schema.Fields{"X": x, "Y": y})
	for _, b := range build {
		b(p)
	}
	return p
}

func TestProtocolLines(t *testing.T) {
	want := []string{
		"protocol kit",
		"replicate Owner{Client uint32 raw}",
		"replicate owner-only SpawnKey{Owner uint32 raw; Input uint32 raw; Nth uint16 raw}",
		"replicate predicted interpolated place{X int32 raw; Y int32 raw}",
		"replicate predicted speed{X int32 raw; Y int32 raw}",
		"replicate health{Points uint8 0..255}",
		"replicate predicted odd{A uint8 raw; B uint64 raw; C uint8 raw}",
		"replicate flag{}",
		"local predicted cooldown",
		"input push{DX int8 -1..1}",
	}
	if got := kitProtocol().Lines(); !slices.Equal(got, want) {
		t.Errorf("lines\n%q, want\n%q", got, want)
	}
	// Committed: builds that differ here cannot play together.
	equal(t, "hash", kitProtocol().Hash(), 1259456375526619394)
}

func TestWhatChangesTheHash(t *testing.T) {
	const r = "-512..512 step 0.01"
	base := lines("p/1", r, r)
	for what, same := range map[string]*ecs.Protocol{
		"the same":   lines("p/1", r, r),
		"tolerance":  lines("p/1", r+" tol 3", r),
		"spelling":   lines("p/1", "-512.0..5.12e2  step 0.010", r),
		"local only": lines("p/1", r, r, func(p *ecs.Protocol) { ecs.Local[hat](p, 0) }),
		"systems":    lines("p/1", r, r, func(p *ecs.Protocol) { p.Simulate("s", func(*ecs.World) {}) }),
	} {
		if same.Hash() != base.Hash() || !slices.Equal(same.Lines(), base.Lines()) {
			t.Errorf("%s: the hash differs: %q", what, same.Lines())
		}
	}
	add := func(names ...string) *ecs.Protocol {
		return lines("p/1", r, r, func(p *ecs.Protocol) {
			for _, n := range names {
				map[string]func(){
					"place":  func() { ecs.Replicate[place](p, 0) },
					"speed":  func() { ecs.Replicate[speed](p, 0) },
					"local":  func() { ecs.Local[cooldown](p, ecs.Predicted) },
					"input":  func() { ecs.Input[push](p) },
					"pushed": func() { ecs.Replicate[push](p, 0) },
				}[n]()
			}
		})
	}
	renamed := ecs.NewProtocol("p/1")
	{
		type plain struct{ X, Z float32 }
		ecs.ReplicateFields[plain](renamed, ecs.Predicted, schema.Fields{"X": r, "Z": r})
	}
	mode := ecs.NewProtocol("p/1")
	ecs.ReplicateFields[plain](mode, 0, schema.Fields{"X": r, "Y": r})
	seen := map[uint64]string{base.Hash(): "base"}
	for what, p := range map[string]*ecs.Protocol{
		"name":          lines("p/2", r, r),
		"range":         lines("p/1", "-512..513 step 0.01", r),
		"step":          lines("p/1", "-512..512 step 0.02", r),
		"renamed field": renamed,
		"mode":          mode,
		"place speed":   add("place", "speed"),
		"speed place":   add("speed", "place"),
		"place":         add("place"),
		"local":         add("local"),
		"input":         add("input"),
		"not an input":  add("pushed"),
	} {
		if other, clash := seen[p.Hash()]; clash {
			t.Errorf("%s hashes like %s", what, other)
		}
		seen[p.Hash()] = what
	}
}

func TestDescriptions(t *testing.T) {
	p := kitProtocol()
	equal(t, "first replicated", p.Replicated()[0].Name, "Owner")
	for i, c := range p.Replicated() {
		equal(t, c.Name, c.Replicated(), i)
	}
	equal(t, "local", ecs.ComponentOf[hat](p).Replicated(), -1)
	equal(t, "words of the input", p.Input().Words, 0)
	equal(t, "words of place", ecs.ComponentOf[place](p).Words, 2)
	if ecs.ComponentOf[plain](p) != nil {
		t.Error("a component from nowhere")
	}
}

// A protocol serves worlds in several goroutines.
func TestWorldsShareAProtocol(t *testing.T) {
	p := kitProtocol()
	p.Simulate("move", func(w *ecs.World) {
		for _, r := range ecs.Each[placeRow](w) {
			r.Place.X++
		}
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			w := ecs.NewWorld(p, ecs.Config{})
			e := w.Spawn(place{})
			for range 10 {
				w.Netcode().SimulateStage().Run(w)
			}
			if at(w, e).X != 10 {
				t.Error("worlds disturb each other")
			}
		})
	}
	wg.Wait()
}
