package systems

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// takeNotices takes in a packet of notices. Each is heeded once.
func (c *Client) takeNotices(b []byte) error {
	x := &c.changes
	r := &x.notices
	if err := r.Read(b); err != nil {
		return err
	}
	if r.First > x.heard+1 {
		return fmt.Errorf("%w: notices from %d on after %d", ErrMessage, r.First, x.heard)
	}
	for i := range r.Notices {
		if number := r.First + uint32(i); number > x.heard {
			x.heard = number
			if err := c.heed(&r.Notices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// heed does what a notice says.
func (c *Client) heed(n *wire.Notice) error {
	refusal := Refusal{Tick: n.Tick, Reason: n.Reason}
	switch n.Kind {
	case wire.NoticeInput:
		refusal.Cause, refusal.Input = RefusedInput, n.Input
	case wire.NoticeFast:
		refusal.Cause, refusal.Inputs = TooFast, n.Inputs
	case wire.NoticeChange:
		refusal.Cause, refusal.NetID = RefusedChange, components.NetID(n.ID)
		refusal.Component = c.changes.coder.Components[n.Component].Name
		c.revert(n, c.changes.notices.Value(n))
	default:
		return c.entitle(n)
	}
	c.stats.Refusals++
	if c.config.OnRefused != nil {
		c.config.OnRefused(refusal)
	}
	return nil
}

// maxRights bounds what a server may tell of single entities.
const maxRights = 4096

// right is what the server said of the authority over an entity.
type right struct {
	id  uint32
	may bool
}

// entitle notes what this client may write, or may not, whoever the owner is.
func (c *Client) entitle(n *wire.Notice) error {
	x := &c.changes
	i := slices.IndexFunc(x.rights, func(r right) bool { return r.id == n.ID })
	switch {
	case n.Kind == wire.NoticeGone:
		if i >= 0 {
			x.rights = slices.Delete(x.rights, i, i+1)
		}
		return nil
	case i < 0 && len(x.rights) == maxRights:
		return fmt.Errorf("%w: authority over more than %d entities", ErrMessage, maxRights)
	case i < 0:
		i = len(x.rights)
		x.rights = append(x.rights, right{id: n.ID})
	}
	x.rights[i].may = n.Kind == wire.NoticeGranted
	if r := c.mirror.byID[n.ID]; r != nil && !r.entity.IsZero() {
		c.turn(r)
	}
	return nil
}
