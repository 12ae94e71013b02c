package systems

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// Change is a value that a client wrote to a component registered with
// ecs.ClientOwned, and asks the server to take over.
type Change struct {
	Client    uint32
	Entity    ecs.Entity
	Component *ecs.Component
	// Value points at the value, within its declared range. It is valid during the
	// call and must not be written; [Changed] has the type.
	Value unsafe.Pointer
}

// Changed is the value that a change brings of the component T; false where it is about
// another component.
func Changed[T any](w *ecs.World, c Change) (value T, is bool) {
	if ecs.ComponentOf[T](w.Protocol()) != c.Component {
		return value, false
	}
	return *(*T)(c.Value), true
}

// Grant gives the authority over the ecs.ClientOwned components of an entity to a
// client, or to nobody but the server when client is 0. Without it their authority lies
// with the components.Owner. It holds from the coming tick on, until the next Grant or
// [Revoke] of the entity: what its former holder writes has no effect any more, also what
// is on its way, and that client learns of it. w is a server's world; in the world
// of a client Grant does nothing.
func Grant(w *ecs.World, e ecs.Entity, client uint32) {
	a := ecs.Resource[ownership](w)
	if a == nil || !w.Alive(e) {
		return
	}
	from := w.Tick() + 1
	if i, ok := a.by[e]; ok {
		if g := &a.grants[i]; g.client != client {
			g.client, g.from = client, from
			a.version++
		}
		return
	}
	a.version++
	a.by[e] = len(a.grants)
	a.grants = append(a.grants, grant{entity: e, id: uint32(w.NetID(e)), client: client, from: from})
}

// Revoke takes the authority over the ecs.ClientOwned components of an entity back to
// the server, which may write them from then on. See [Grant].
func Revoke(w *ecs.World, e ecs.Entity) { Grant(w, e, 0) }

// ownership says which client may write the client-owned components of which entity,
// where that is not its owner. It is a resource of the server's world.
type ownership struct {
	grants  []grant
	by      map[ecs.Entity]int // index in grants
	version uint32             // counts changes
}

type grant struct {
	entity ecs.Entity
	id     uint32 // NetID
	client uint32 // 0: nobody
	from   uint32 // tick
}

// owner is the client that may write an entity's components; 0: none.
func (a *ownership) owner(w *ecs.World, e ecs.Entity) uint32 {
	if i, ok := a.by[e]; ok {
		return a.grants[i].client
	}
	return ownerOf(w, e)
}

// ownerOf is the client that owns an entity, 0 for none.
func ownerOf(w *ecs.World, e ecs.Entity) uint32 {
	if o := (*components.Owner)(w.Netcode().Pointer(e, w.Protocol().Replicated()[0])); o != nil {
		return o.Client
	}
	return 0
}

// sweep forgets entities that are gone.
func (a *ownership) sweep(w *ecs.World) {
	dead := func(g grant) bool { return !w.Alive(g.entity) }
	if !slices.ContainsFunc(a.grants, dead) {
		return
	}
	a.version++
	a.grants = slices.DeleteFunc(a.grants, dead)
	clear(a.by)
	for i, g := range a.grants {
		a.by[g.entity] = i
	}
}

// maxChangeBits bounds a client-owned component, so that a value fits a packet beside
// the inputs.
const maxChangeBits = 8 * 128

// foreignComponents are those that clients write, in the order in which messages number
// them.
func foreignComponents(p *ecs.Protocol) (list []*ecs.Component) {
	for _, c := range p.Replicated() {
		if c.Mode&ecs.ClientOwned != 0 && c.Words > 0 {
			list = append(list, c)
		}
	}
	return list
}

// foreignMask is the set of them.
func foreignMask(list []*ecs.Component) (m uint64) {
	for _, c := range list {
		m |= 1 << c.Replicated()
	}
	return m
}

// checkForeign refuses client-owned components that cannot travel.
func checkForeign(list []*ecs.Component, p policy.Policies) error {
	for _, c := range list {
		if f := slices.IndexFunc(c.Schema.Fields, func(f schema.Field) bool { return f.Lines != 0 }); f >= 0 {
			return fmt.Errorf("%w: %s.%s is ecs.ClientOwned: leave out the word lines, which is for what a server moves", ErrConfig, c.Name, c.Schema.Fields[f].Path)
		}
		bits := 0
		for k := range c.Words {
			bits += c.Schema.WordBits(k)
		}
		switch {
		case p.Correction == policy.CorrectionInputs:
			return fmt.Errorf("%w: Policies: %s is ecs.ClientOwned, but these policies send inputs and nothing else; make it part of the input, or an event", ErrConfig, c.Name)
		case bits > maxChangeBits:
			return fmt.Errorf("%w: %s is ecs.ClientOwned and has %d bits, at most %d may travel beside inputs", ErrConfig, c.Name, bits, maxChangeBits)
		}
	}
	return nil
}
