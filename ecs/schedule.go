package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSystem means that a schedule has no system or stage of the given name.
var ErrNoSystem = errors.New("unknown system or stage")

// Schedule is the list of stages that a peer runs. Print it to inspect it. Change it only before the peer starts.
type Schedule struct{ stages []*Stage }

// NewSchedule returns a schedule of top-level stages.
func NewSchedule(stages ...*Stage) *Schedule { return &Schedule{stages} }

// Stage returns the stage of a name, which may be nested, or nil.
func (s *Schedule) Stage(name string) *Stage {
	for _, st := range s.stages {
		if found := st.stage(name); found != nil {
			return found
		}
	}
	return nil
}

// Names returns the names of stages and systems in the order in which they run, depth first.
func (s *Schedule) Names() []string {
	var names []string
	for _, st := range s.stages {
		st.walk(0, func(_ int, name string) { names = append(names, name) })
	}
	return names
}

// String returns the schedule as an indented list.
func (s *Schedule) String() string {
	var b strings.Builder
	for _, st := range s.stages {
		st.walk(0, func(depth int, name string) {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("    ", depth), name)
		})
	}
	return b.String()
}

// find returns the stage and the index of a system, or nil.
func (s *Schedule) find(name string) (*Stage, int) {
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

// Wrap replaces the function of a system by the result of wrap, which gets the original function. Use it to measure, skip
// or extend a step of the netcode. The name stays the same. Wrap returns [ErrNoSystem] if the name does not exist, and
// panics if wrap returns nil.
func (s *Schedule) Wrap(name string, wrap func(run func(*World)) func(*World)) error {
	st, i := s.find(name)
	if st == nil {
		return fmt.Errorf("ecs: Wrap %q: %w", name, ErrNoSystem)
	}
	run := wrap(st.items[i].system.Run)
	if run == nil {
		panic(fmt.Sprintf("ecs: Wrap %q: wrap returned nil: return a function", name))
	}
	st.items[i].system.Run = run
	return nil
}

// WrapAll calls wrap for every system, depth first in the order in which they run, including systems of nested stages and
// of stages that systems run. path has the names from the top-level stage to the system; wrap may keep it. If wrap returns
// nil, the system keeps its function.
func (s *Schedule) WrapAll(wrap func(path []string, run func(*World)) func(*World)) {
	for _, st := range s.stages {
		st.wrapAll(nil, wrap)
	}
}

func (s *Stage) wrapAll(above []string, wrap func(path []string, run func(*World)) func(*World)) {
	path := append(slices.Clip(above), s.Name)
	for i := range s.items {
		it := &s.items[i]
		if it.stage != nil {
			it.stage.wrapAll(path, wrap)
			continue
		}
		own := append(slices.Clip(path), it.system.Name)
		if run := wrap(slices.Clone(own), it.system.Run); run != nil {
			it.system.Run = run
		}
		if it.system.Runs != nil {
			it.system.Runs.wrapAll(own, wrap)
		}
	}
}

// Remove removes a system, but not a stage. It returns [ErrNoSystem] if the name does not exist.
func (s *Schedule) Remove(name string) error {
	st, i := s.find(name)
	if st == nil {
		return fmt.Errorf("ecs: Remove %q: %w", name, ErrNoSystem)
	}
	st.items = append(st.items[:i], st.items[i+1:]...)
	return nil
}

// InsertBefore inserts a system before another one in the same stage. It returns [ErrNoSystem] if the name does not exist.
func (s *Schedule) InsertBefore(name string, sys System) error { return s.insert(name, sys, 0) }

// InsertAfter inserts a system after another one in the same stage. It returns [ErrNoSystem] if the name does not exist.
func (s *Schedule) InsertAfter(name string, sys System) error { return s.insert(name, sys, 1) }

func (s *Schedule) insert(name string, sys System, behind int) error {
	st, i := s.find(name)
	if st == nil {
		return fmt.Errorf("ecs: insert %q at %q: %w", sys.Name, name, ErrNoSystem)
	}
	items := append([]item(nil), st.items[:i+behind]...)
	items = append(items, newItem(sys))
	st.items = append(items, st.items[i+behind:]...)
	return nil
}
