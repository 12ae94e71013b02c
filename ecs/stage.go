package ecs

import (
	"hash/fnv"
	"io"
)

// System is a named step of a schedule.
type System struct {
	Name string
	Run  func(*World)
	// Runs is a stage that Run itself runs, such as Simulate in Predict, so that the printed schedule includes it. It may be nil.
	Runs *Stage
}

// Stage is a named list of systems and nested stages, run in order. Structural changes of its systems take effect at its
// end.
type Stage struct {
	Name  string
	items []item
}

type item struct {
	system  System
	stage   *Stage // a nested stage when not nil
	ordinal uint32
}

// NewStage returns a stage of systems.
func NewStage(name string, systems ...System) *Stage {
	s := &Stage{Name: name}
	for _, sys := range systems {
		s.Add(sys)
	}
	return s
}

// Add appends a system.
func (s *Stage) Add(sys System) *Stage {
	s.items = append(s.items, newItem(sys))
	return s
}

// Nest appends a stage.
func (s *Stage) Nest(n *Stage) *Stage {
	s.items = append(s.items, item{stage: n})
	return s
}

func newItem(sys System) item {
	if sys.Name == "" || sys.Run == nil {
		panic("ecs: a system of a stage needs a name and a function")
	}
	h := fnv.New32a()
	io.WriteString(h, sys.Name)
	return item{system: sys, ordinal: h.Sum32()}
}

// inner returns the stage that an item nests or runs, or nil.
func (it *item) inner() *Stage {
	if it.stage != nil {
		return it.stage
	}
	return it.system.Runs
}

func (it *item) name() string {
	if it.stage != nil {
		return it.stage.Name
	}
	return it.system.Name
}

func (s *Stage) stage(name string) *Stage {
	if s.Name == name {
		return s
	}
	for _, it := range s.items {
		if inner := it.inner(); inner != nil {
			if found := inner.stage(name); found != nil {
				return found
			}
		}
	}
	return nil
}

func (s *Stage) walk(depth int, visit func(int, string)) {
	visit(depth, s.Name)
	for _, it := range s.items {
		switch {
		case it.stage != nil:
			it.stage.walk(depth+1, visit)
		default:
			visit(depth+1, it.system.Name)
			if it.system.Runs != nil {
				it.system.Runs.walk(depth+2, visit)
			}
		}
	}
}

// Run runs the stage in w and then applies the structural changes.
func (s *Stage) Run(w *World) {
	w.deferred.depth++
	if s == w.setup.simulate {
		w.clock.simulating++
		if w.clock.tick < w.clock.newest && !w.partial.on {
			w.clock.resimulated++
		}
	}
	defer w.finishStage(s, len(w.deferred.commands), w.clock.system)
	if s == w.setup.simulate && w.check.rollback != nil && !w.partial.on {
		w.check.rollback.run(s)
		return
	}
	for i := range s.items {
		s.step(w, i)
	}
}

// step runs item i.
func (s *Stage) step(w *World, i int) {
	s.items[i].run(w)
	if s == w.setup.simulate && w.check.trace != nil && !w.partial.on {
		w.check.trace(s.items[i].name())
	}
}

func (it *item) run(w *World) {
	if it.stage != nil {
		it.stage.Run(w)
		return
	}
	w.clock.system = it.ordinal
	it.system.Run(w)
}

// finishStage ends a run of s, also after a panic. Changes requested before the panic are applied, and the world stays usable.
func (w *World) finishStage(s *Stage, base int, outer uint32) {
	w.clock.system = outer
	w.deferred.depth--
	predicted := w.setup.config.Client && w.clock.simulating > 0
	if s == w.setup.simulate {
		w.clock.simulating--
	}
	if w.partial.on {
		w.discard(base)
		w.deferred.reclaim()
	} else {
		w.flush(base, predicted)
	}
	if predicted && w.clock.simulating == 0 {
		w.inputs.spawned.clear() // a later run may simulate the input again
	}
	if s == w.setup.simulate && w.setup.protocol.quantized && !w.partial.on {
		w.quantize()
	}
}

// quantize rounds the replicated values of all simulated entities to their encoded precision. Rounding is idempotent, so it
// does not change entities that no system changed.
func (w *World) quantize() {
	for t := range w.Netcode().Simulated {
		for _, c := range w.setup.protocol.replicated {
			if c.Words == 0 || t.Mask&(1<<c.replicated) == 0 {
				continue
			}
			n := len(t.Entities)
			if need := n * c.Words; cap(w.check.words) < need {
				w.check.words = make([]int32, need+need/2)
			}
			words := w.check.words[:n*c.Words]
			c.Schema.Quantize(words, c.Words, t.Column(c), n)
			c.Schema.Dequantize(t.Column(c), words, c.Words, n)
		}
	}
}
