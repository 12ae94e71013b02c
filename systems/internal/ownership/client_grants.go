package ownership

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// maxGrants is the maximum number of entities about which a server may send grants.
const maxGrants = 4096

// clientGrant is the server's decision whether the client may write an entity.
type clientGrant struct {
	id  uint32
	may bool
}

// ApplyGrant records whether this client may write an entity, whoever owns it. e is the entity, or zero if it is
// not in the world.
func (x *Client) ApplyGrant(n *wire.Notice, e ecs.Entity) error {
	i := slices.IndexFunc(x.grants, func(r clientGrant) bool { return r.id == n.ID })
	switch {
	case n.Kind == wire.NoticeGone:
		if i >= 0 {
			x.grants = slices.Delete(x.grants, i, i+1)
		}
		return nil
	case i < 0 && len(x.grants) == maxGrants:
		return fmt.Errorf("%w: authority over more than %d entities", wire.ErrMessage, maxGrants)
	case i < 0:
		i = len(x.grants)
		x.grants = append(x.grants, clientGrant{id: n.ID})
	}
	x.grants[i].may = n.Kind == wire.NoticeGranted
	if !e.IsZero() {
		x.transferControl(n.ID, e)
	}
	return nil
}

// transferControl applies a change of the right to write an entity: without the right, the server's values replace
// the client's; with it, the client starts from the current values.
func (x *Client) transferControl(id uint32, e ecs.Entity) {
	may := x.MayWrite(e)
	for i, comp := range x.coder.Components {
		p := x.world.Netcode().Pointer(e, comp)
		s := x.slotOf(id, i)
		switch {
		case p == nil:
		case may && s == nil:
			x.KeepsRaw(id, e, comp, p)
		case !may && s != nil && s.entity == e:
			comp.Schema.Dequantize(p, s.confirmed, comp.Words, 1)
		}
	}
	if !may {
		x.forgetEntity(id)
	}
}

// Len returns the number of components that this client writes, and the number of entities about which it received
// grants.
func (x *Client) Len() (written, granted int) { return len(x.slots), len(x.grants) }
