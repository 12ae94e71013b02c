package ownership

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// maxGrants bounds what a server may tell of single entities.
const maxGrants = 4096

// clientGrant is what the server said of who may write an entity.
type clientGrant struct {
	id  uint32
	may bool
}

// Entitle notes what this client may write, or may not, whoever the owner is; e is the
// entity where it is here.
func (x *Client) Entitle(n *wire.Notice, e ecs.Entity) error {
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
		x.turnOver(n.ID, e)
	}
	return nil
}

// turnOver follows a change of who may write an entity that is here: what is the server's
// becomes that, what is this client's begins with what is there.
func (x *Client) turnOver(id uint32, e ecs.Entity) {
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
		x.drop(id)
	}
}

// Len is how many components this client writes, and of how many entities it was told who
// may.
func (x *Client) Len() (written, told int) { return len(x.slots), len(x.grants) }
