package reconcile

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// ownDiffers compares what was predicted of a component of an own entity after the input of the
// newest own state with what that says.
func (c *compare) ownDiffers(e ecs.Entity, comp *ecs.Component) (err error) {
	m := c.parts.Mirror
	told := m.Own.Newest
	if told.Tick != m.Newest.Tick {
		return fmt.Errorf("%s: own state is of tick %d", comp.Name, told.Tick)
	}
	if told.Input > c.parts.Predict.Applied() {
		return nil // it waits for its tick
	}
	id, found := c.parts.World.NetID(e), false
	m.Own.Each(told.Send, func(v mirror.OwnValue) {
		if components.NetID(v.ID) != id || v.Component != comp || err != nil {
			return
		}
		found = true
		predicted := c.parts.Predict.History.Value(told.Input, e, comp)
		if predicted == nil {
			predicted = c.parts.World.Netcode().Pointer(e, comp)
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
