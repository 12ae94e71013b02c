package systems

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/components"
)

// takeNotices takes in a packet of notices. Each is heeded once.
func (c *Client) takeNotices(b []byte) error {
	x := &c.changes
	r := &x.notices
	if err := r.read(b); err != nil {
		return err
	}
	if r.first > x.heard+1 {
		return fmt.Errorf("%w: notices from %d on after %d", ErrMessage, r.first, x.heard)
	}
	for i := range r.notices {
		if number := r.first + uint32(i); number > x.heard {
			x.heard = number
			if err := c.heed(&r.notices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// heed does what a notice says.
func (c *Client) heed(n *notice) error {
	refusal := Refusal{Tick: n.tick, Reason: n.reason}
	switch n.kind {
	case noticeInput:
		refusal.Cause, refusal.Input = RefusedInput, n.input
	case noticeFast:
		refusal.Cause, refusal.Inputs = TooFast, n.inputs
	case noticeChange:
		refusal.Cause, refusal.NetID = RefusedChange, components.NetID(n.id)
		refusal.Component = c.changes.coder.components[n.component].Name
		c.revert(n, c.changes.notices.value(n))
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
func (c *Client) entitle(n *notice) error {
	x := &c.changes
	i := slices.IndexFunc(x.rights, func(r right) bool { return r.id == n.id })
	switch {
	case n.kind == noticeGone:
		if i >= 0 {
			x.rights = slices.Delete(x.rights, i, i+1)
		}
		return nil
	case i < 0 && len(x.rights) == maxRights:
		return fmt.Errorf("%w: authority over more than %d entities", ErrMessage, maxRights)
	case i < 0:
		i = len(x.rights)
		x.rights = append(x.rights, right{id: n.id})
	}
	x.rights[i].may = n.kind == noticeGranted
	if r := c.byID[n.id]; r != nil && !r.entity.IsZero() {
		c.turn(r)
	}
	return nil
}
