package ecs_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// plain has no tags: each protocol below gives its own.
type plain struct{ X, Y float32 }

func plains(x, y string) part {
	return func(p *ecs.Protocol) { ecs.ReplicateFields[plain](p, ecs.Predicted, schema.Fields{"X": x, "Y": y}) }
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
	p := kitProtocol()
	if got := p.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines\n%q, want\n%q", got, want)
	}
	// Committed: builds that differ here cannot play together.
	equal(t, "hash", p.Hash(), 1259456375526619394)
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

func TestWhatChangesTheHash(t *testing.T) {
	const r = "-512..512 step 0.01"
	base := bare("p/1", plains(r, r))
	for what, same := range map[string]*ecs.Protocol{
		"the same":   bare("p/1", plains(r, r)),
		"tolerance":  bare("p/1", plains(r+" tol 3", r)),
		"spelling":   bare("p/1", plains("-512.0..5.12e2  step 0.010", r)),
		"local only": bare("p/1", plains(r, r), func(p *ecs.Protocol) { ecs.Local[hat](p, 0) }),
		"systems":    bare("p/1", plains(r, r), rule("s", func(*ecs.World) {})),
	} {
		if same.Hash() != base.Hash() || !slices.Equal(same.Lines(), base.Lines()) {
			t.Errorf("%s: the hash differs: %q", what, same.Lines())
		}
	}
	places := func(p *ecs.Protocol) { ecs.Replicate[place](p, 0) }
	speeds := func(p *ecs.Protocol) { ecs.Replicate[speed](p, 0) }
	seen := map[uint64]string{base.Hash(): "base"}
	for what, p := range map[string]*ecs.Protocol{
		"name":  bare("p/2", plains(r, r)),
		"range": bare("p/1", plains("-512..513 step 0.01", r)),
		"step":  bare("p/1", plains("-512..512 step 0.02", r)),
		"renamed field": bare("p/1", func(p *ecs.Protocol) {
			type plain struct{ X, Z float32 }
			ecs.ReplicateFields[plain](p, ecs.Predicted, schema.Fields{"X": r, "Z": r})
		}),
		"mode":         bare("p/1", func(p *ecs.Protocol) { ecs.ReplicateFields[plain](p, 0, schema.Fields{"X": r, "Y": r}) }),
		"quantized":    bare("p/1", plains(r, r), (*ecs.Protocol).QuantizeSteps),
		"place speed":  bare("p/1", plains(r, r), places, speeds),
		"speed place":  bare("p/1", plains(r, r), speeds, places),
		"place":        bare("p/1", plains(r, r), places),
		"local":        bare("p/1", plains(r, r), func(p *ecs.Protocol) { ecs.Local[cooldown](p, ecs.Predicted) }),
		"input":        bare("p/1", plains(r, r), func(p *ecs.Protocol) { ecs.Input[push](p) }),
		"not an input": bare("p/1", plains(r, r), func(p *ecs.Protocol) { ecs.Replicate[push](p, 0) }),
	} {
		if other, clash := seen[p.Hash()]; clash {
			t.Errorf("%s hashes like %s", what, other)
		}
		seen[p.Hash()] = what
	}
}

// A protocol serves worlds in several goroutines.
func TestWorldsShareAProtocol(t *testing.T) {
	p := kitProtocol(rule("move", walkOn))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			w := ecs.NewWorld(p, ecs.Config{})
			e := w.Spawn(place{})
			ticks(w, 0, 10)
			if at(w, e).X != 10 {
				t.Error("worlds disturb each other")
			}
		})
	}
	wg.Wait()
}

type (
	deep struct {
		Slots [2]struct {
			Inner struct{ Next *int }
		}
	}
	named    struct{ Name string }
	listed   struct{ List []int32 }
	mapped   struct{ M map[int]int }
	called   struct{ F func() }
	boxed    struct{ V any }
	untagged struct{ X int32 }
	score    struct {
		Red, Blue int32 `net:"0..1000"`
	}
)

// The tag server is allowed only in predicted components, whose other fields clients predict.
func TestServerFieldsArePredicted(t *testing.T) {
	type health struct {
		Left uint8 `net:"0..100 server"`
	}
	for _, register := range []func(p *ecs.Protocol){
		func(p *ecs.Protocol) { ecs.Replicate[health](p, ecs.Interpolated) },
		func(p *ecs.Protocol) { ecs.Singleton[health](p, 0) },
		func(p *ecs.Protocol) { ecs.Input[health](p) },
	} {
		refused(t, func() { register(bare("p")) }, "health.Left has the tag server", "Predicted")
	}
	ecs.Replicate[health](bare("p"), ecs.Predicted|ecs.OwnerOnly)
}

// Registering an invalid component panics with the reason and leaves the protocol unchanged.
func TestWrongProtocolsAreRefused(t *testing.T) {
	p := bare("p")
	refused(t, func() { ecs.Replicate[deep](p, 0) }, "ecs: ", "Slots[].Inner.Next")
	refused(t, func() { ecs.Local[named](p, 0) }, "ecs: ", "Name")
	refused(t, func() { ecs.Input[listed](p) }, "ecs: ", "List")
	refused(t, func() { ecs.Local[mapped](p, 0) }, "ecs: ", "M")
	refused(t, func() { ecs.Local[called](p, 0) }, "ecs: ", "field F")
	refused(t, func() { ecs.Local[boxed](p, 0) }, "ecs: ", "field V")
	refused(t, func() { ecs.Replicate[untagged](p, 0) }, "untagged.X", "net:")
	refused(t, func() { ecs.Input[untagged](p) }, "untagged.X", "net:")
	refused(t, func() { ecs.Replicate[place](p, 1<<5) }, "mode")
	refused(t, func() { ecs.Local[hat](p, ecs.Interpolated) }, "Predicted")
	refused(t, func() { ecs.Singleton[score](p, ecs.Predicted) }, "no owner")
	if ecs.ComponentOf[place](p) != nil || ecs.ComponentOf[hat](p) != nil || len(p.Components()) != 2 {
		t.Error("a refused component is registered")
	}
	ecs.Local[untagged](p, 0) // what stays at home needs no tag

	p = kitProtocol()
	run := func(*ecs.World) {}
	refused(t, func() { ecs.Replicate[place](p, 0) }, "place", "already")
	refused(t, func() { ecs.Local[place](p, 0) }, "place", "already")
	refused(t, func() { ecs.Replicate[components.Owner](p, 0) }, "Owner", "already")
	refused(t, func() { ecs.Input[place](p) }, "input already", "push")
	p.Simulate("a", run)
	refused(t, func() { p.Authority("a", run) }, `"a"`)
	refused(t, func() { p.Simulate("", run) }, "name")
	refused(t, func() { p.Simulate("b", nil) }, "function")

	for _, rate := range []int{-1, 1001} {
		equal(t, "rate is refused", (ecs.Config{TickRate: rate}).Validate() != nil, true)
	}
	refused(t, func() { ecs.NewWorld(p, ecs.Config{TickRate: -1}) }, "TickRate")
	w := ecs.NewWorld(p, ecs.Config{})
	equal(t, "default rate", w.TickRate(), ecs.DefaultTickRate)
	equal(t, "step", w.Step(), float32(1.0/60))
	refused(t, func() { ecs.Local[untagged](p, 0) }, "before NewWorld")
	refused(t, func() { p.Simulate("late", run) }, "late")
	refused(t, p.QuantizeSteps, "after a world uses")
	ecs.NewWorld(p, ecs.Config{}) // any number of worlds
}

// A singleton exists on the server from the start. On a client it is zero until a snapshot sets it. It cannot be despawned or
// spawned again.
func TestSingleton(t *testing.T) {
	p := bare("single", func(p *ecs.Protocol) {
		ecs.Replicate[place](p, 0)
		ecs.Singleton[score](p, 0)
		p.Authority("goal", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ Score *score }](w) {
				r.Score.Red++
			}
		})
	})
	w, client := ecs.NewWorld(p, ecs.Config{}), ecs.NewWorld(p, ecs.Config{Client: true})
	equal(t, "at first", ecs.Single[score](w), score{})
	w.Spawn(place{})
	p.AuthorityStage().Run(w)
	equal(t, "after a goal", ecs.Single[score](w), score{Red: 1})
	equal(t, "entities with the score", length(ecs.All[struct{ Score score }](w)), 1)
	equal(t, "without snapshots", ecs.Single[score](client), score{})
	e := client.Netcode().Replica(1, maskOf(ecs.ComponentOf[score](p)), false)
	ecs.Get[score](client, e).Blue = 3
	equal(t, "as told", ecs.Single[score](client), score{Blue: 3})
	refused(t, func() { ecs.Single[place](w) }, "ecs.Singleton")

	other, the := w.Spawn(place{}), ecs.Entity{}
	for e := range ecs.Each[struct{ Score *score }](w) {
		the = e
	}
	refused(t, func() { w.Spawn(score{}) }, "Spawn", "singleton", "Each")
	refused(t, func() { ecs.Spawn(w, struct{ S score }{}) }, "Spawn", "singleton")
	refused(t, func() { ecs.Add(w, other, score{}) }, "Add", "singleton")
	refused(t, func() { ecs.Remove[score](w, the) }, "Remove", "singleton")
	refused(t, func() { w.Despawn(the) }, "Despawn", "singleton")
	equal(t, "after all that", ecs.Single[score](w), score{Red: 1})
}
