package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSystem is returned by the methods of [Schedule] that look for a system
// or stage which is not there.
var ErrNoSystem = errors.New("no such system or stage")

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

// WrapAll is [Schedule.Wrap] for every system, depth first in the order in which they run,
// those of nested stages and of stages that a system runs included. path are the names
// that lead to the system, from its top-level stage on, the last its own; it is wrap's to
// keep. A system keeps its function where wrap returns nil.
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
func (s *Schedule) InsertBefore(name string, sys System) error { return s.insert(name, sys, 0) }

// InsertAfter puts a system behind another, in the same stage. It returns
// [ErrNoSystem] when there is none of that name.
func (s *Schedule) InsertAfter(name string, sys System) error { return s.insert(name, sys, 1) }

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
