package ecs

import (
	"slices"
)

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
