package systems

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
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
		refusal.Component = c.changes.coder.Components[n.Component].Name
		c.revert(n, value)
	default:
		return c.entitle(n)
	}
	c.stats.Refusals++
	if c.config.OnRefused != nil {
		c.config.OnRefused(refusal)
	}
	return nil
}

// maxGrants bounds what a server may tell of single entities.
const maxGrants = 4096

// clientGrant is what the server said of the authority over an entity.
type clientGrant struct {
	id  uint32
	may bool
}

// entitle notes what this client may write, or may not, whoever the owner is.
func (c *Client) entitle(n *wire.Notice) error {
	x := &c.changes
	i := slices.IndexFunc(x.grants, func(r clientGrant) bool { return r.id == n.ID })
	switch {
	case n.Kind == wire.NoticeGone:
		if i >= 0 {
			x.grants = slices.Delete(x.grants, i, i+1)
		}
		return nil
	case i < 0 && len(x.grants) == maxGrants:
		return fmt.Errorf("%w: authority over more than %d entities", ErrMessage, maxGrants)
	case i < 0:
		i = len(x.grants)
		x.grants = append(x.grants, clientGrant{id: n.ID})
	}
	x.grants[i].may = n.Kind == wire.NoticeGranted
	if r := c.mirror.byID[n.ID]; r != nil && !r.Entity.IsZero() {
		c.turn(r)
	}
	return nil
}
