package reconcile

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// OwnDiffers compares what was predicted of a component of an own entity after the newest input
// that is known to be consumed with what the server said it was, or, where results are
// reported, with what was captured of it for a send, in words. It is for tests.
func (s *System) OwnDiffers(e ecs.Entity, comp *ecs.Component, send uint32, words []int32) (err error) {
	m := s.parts.Mirror
	told := m.Own.Newest
	switch {
	case s.reported != nil && send != m.Newest.Send:
		return nil // it waits for its turn
	case s.reported != nil:
		return s.reported.differs(e, comp, words)
	case told.Tick != m.Newest.Tick:
		return fmt.Errorf("%s: own state is of tick %d", comp.Name, told.Tick)
	case told.Input > s.parts.Predict.Applied():
		return nil // it waits for its tick
	}
	id, found := s.parts.World.NetID(e), false
	m.Own.Each(told.Send, func(v mirror.OwnValue) {
		if components.NetID(v.ID) != id || v.Component != comp || err != nil {
			return
		}
		found = true
		predicted := s.parts.Predict.History.Value(told.Input, e, comp)
		if predicted == nil {
			predicted = s.parts.World.Netcode().Pointer(e, comp)
		}
		if field := comp.Schema.Compare(predicted, v.Value); field >= 0 {
			err = fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
				told.Input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, v.Value))
		}
	})
	if err == nil && !found && m.Own.Whole(told.Send) {
		return fmt.Errorf("%s: the newest snapshot has no own state of it", comp.Name)
	}
	return err
}
