package systems

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// heed does what a notice says, of a refused change with the value that stands.
func (c *Client) heed(n *wire.Notice, value []int32) error {
	refusal := Refusal{Tick: n.Tick, Reason: n.Reason}
	switch n.Kind {
	case wire.NoticeInput:
		refusal.Cause, refusal.Input = RefusedInput, n.Input
	case wire.NoticeFast:
		refusal.Cause, refusal.Inputs = TooFast, n.Inputs
	case wire.NoticeChange:
		refusal.Cause, refusal.NetID = RefusedChange, components.NetID(n.ID)
		refusal.Component = c.owned.Name(n.Component)
		c.owned.Revert(n, value)
	default:
		var here ecs.Entity
		if r := c.mirror.Entities.Of(n.ID); r != nil {
			here = r.Entity
		}
		return c.owned.Entitle(n, here)
	}
	c.stats.Refusals++
	if c.config.OnRefused != nil {
		c.config.OnRefused(refusal)
	}
	return nil
}
