package ecs

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
)

// ErrNoSystem is returned by the methods of [Schedule] that look for a system
// or stage which is not there.
var ErrNoSystem = errors.New("no such system or stage")

// System is a named step of a schedule.
type System struct {
	Name string
	Run  func(*World)
	// Runs is a stage that Run itself runs, such as Simulate in Predict, named
	// so that it shows in the printed schedule. It may be nil.
	Runs *Stage
}

// Stage is a named list of systems and nested stages, run in order. Structural
// changes that its systems ask for are carried out at its end.
type Stage struct {
	Name  string
	items []item
}

type item struct {
	system  System
	stage   *Stage // a nested stage when not nil
	ordinal uint32
}

// NewStage makes a stage of systems.
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

// Run runs the stage in w, then carries out the structural changes.
func (s *Stage) Run(w *World) {
	w.deferred.depth++
	if s == w.setup.simulate {
		w.clock.simulating++
		if w.clock.tick < w.clock.newest && !w.partial.on {
			w.clock.resimulated++
		}
	}
	defer w.leave(s, len(w.deferred.commands), w.clock.system)
	if s == w.setup.simulate && w.check.rollback != nil && !w.partial.on {
		w.check.rollback.run(s)
		return
	}
	for i := range s.items {
		s.step(w, i)
	}
}

// step runs the i-th item.
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

func (it *item) name() string {
	if it.stage != nil {
		return it.stage.Name
	}
	return it.system.Name
}

// leave ends a run of s, by a panic too: what systems asked for before it counts
// as much as what they wrote, and the world stays usable.
func (w *World) leave(s *Stage, base int, outer uint32) {
	w.clock.system = outer
	w.deferred.depth--
	predicted := w.setup.config.Client && w.clock.simulating > 0
	if s == w.setup.simulate {
		w.clock.simulating--
	}
	if w.partial.on {
		w.unask(base)
		w.settle()
	} else {
		w.flush(base, predicted)
	}
	if predicted && w.clock.simulating == 0 {
		w.inputs.spawned.clear() // the input may be simulated again
	}
	if s == w.setup.simulate && w.setup.protocol.quantized && !w.partial.on {
		w.quantize()
	}
}

// Schedule is the visible list of what a peer runs, in stages. Print it to see
// it; change it before the peer starts.
type Schedule struct{ stages []*Stage }

// NewSchedule makes a schedule of top-level stages.
func NewSchedule(stages ...*Stage) *Schedule { return &Schedule{stages} }

// Stage finds a stage by name, nested ones included, or nil.
func (s *Schedule) Stage(name string) *Stage {
	for _, st := range s.stages {
		if found := st.stage(name); found != nil {
			return found
		}
	}
	return nil
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

// inner is the stage that an item nests or runs, or nil.
func (it *item) inner() *Stage {
	if it.stage != nil {
		return it.stage
	}
	return it.system.Runs
}

// Names lists stages and systems in the order they run, depth first.
func (s *Schedule) Names() []string {
	var names []string
	for _, st := range s.stages {
		st.walk(0, func(_ int, name string) { names = append(names, name) })
	}
	return names
}

// String is the schedule as an indented list.
func (s *Schedule) String() string {
	var b strings.Builder
	for _, st := range s.stages {
		st.walk(0, func(depth int, name string) {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("    ", depth), name)
		})
	}
	return b.String()
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

// place finds a system anywhere in the schedule.
func (s *Schedule) place(name string) (*Stage, int) {
	var find func(st *Stage) (*Stage, int)
	find = func(st *Stage) (*Stage, int) {
		for i, it := range st.items {
			if it.stage == nil && it.system.Name == name {
				return st, i
			}
			if inner := it.inner(); inner != nil {
				if found, k := find(inner); found != nil {
					return found, k
				}
			}
		}
		return nil, 0
	}
	for _, st := range s.stages {
		if found, i := find(st); found != nil {
			return found, i
		}
	}
	return nil, 0
}

// Wrap replaces a system by one that may call it: so a game measures, skips or
// surrounds a step of the netcode. The name stays. It returns [ErrNoSystem] when
// there is none of that name, and panics when wrap returns nil.
func (s *Schedule) Wrap(name string, wrap func(run func(*World)) func(*World)) error {
	st, i := s.place(name)
	if st == nil {
		return fmt.Errorf("ecs: Wrap %q: %w", name, ErrNoSystem)
	}
	run := wrap(st.items[i].system.Run)
	if run == nil {
		panic(fmt.Sprintf("ecs: Wrap %q: no function came back", name))
	}
	st.items[i].system.Run = run
	return nil
}

// Remove leaves a system out; stages stay. It returns [ErrNoSystem] when there is none of
// that name.
func (s *Schedule) Remove(name string) error {
	st, i := s.place(name)
	if st == nil {
		return fmt.Errorf("ecs: Remove %q: %w", name, ErrNoSystem)
	}
	st.items = append(st.items[:i], st.items[i+1:]...)
	return nil
}

// InsertBefore puts a system in front of another, in the same stage. It returns
// [ErrNoSystem] when there is none of that name.
func (s *Schedule) InsertBefore(name string, sys System) error {
	return s.insert(name, sys, 0)
}

// InsertAfter puts a system behind another, in the same stage. It returns
// [ErrNoSystem] when there is none of that name.
func (s *Schedule) InsertAfter(name string, sys System) error {
	return s.insert(name, sys, 1)
}

func (s *Schedule) insert(name string, sys System, behind int) error {
	st, i := s.place(name)
	if st == nil {
		return fmt.Errorf("ecs: insert %q at %q: %w", sys.Name, name, ErrNoSystem)
	}
	items := append([]item(nil), st.items[:i+behind]...)
	items = append(items, newItem(sys))
	st.items = append(items, st.items[i+behind:]...)
	return nil
}
