package goods

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// Set is the components that the players of a kind of room carry.
type Set []Component

// Kind is a kind of room.
type Kind struct {
	Name     string
	Protocol func() *ecs.Protocol
	Set      Set
}

// Suit refuses kinds whose protocols lack what their players carry, and that call two different components the same.
func Suit(kinds []Kind) error {
	for _, a := range kinds {
		if len(a.Set) == 0 {
			continue
		}
		p := a.Protocol()
		for i := range a.Set {
			if err := a.Set[i].Check(p); err != nil {
				return fmt.Errorf("kind %s: Carries: %w", a.Name, err)
			}
			for _, b := range kinds {
				for k := range b.Set {
					if err := a.Set[i].Suits(&b.Set[k]); err != nil {
						return fmt.Errorf("kinds %s and %s: Carries: %w", a.Name, b.Name, err)
					}
				}
			}
		}
	}
	return nil
}

// Under refuses a set under policies by which nobody can carry anything.
func (s Set) Under(p policy.Policies) error {
	switch {
	case len(s) > MaxItems:
		return fmt.Errorf("%w: Carries has %d components, at most %d", ErrComponent, len(s), MaxItems)
	case len(s) > 0 && (p.Correction == policy.CorrectionInputs || p.State == policy.StateRewind):
		return fmt.Errorf("%w: Carries under %s: ticks are simulated again there, with and without what came along; leave it out, and let ecs.Join make it of Player.Data", ErrComponent, p.Model())
	}
	return nil
}

// find is the component of a name.
func (s Set) find(name string) *Component {
	for i := range s {
		if s[i].Name == name {
			return &s[i]
		}
	}
	return nil
}

// Takes returns an error that wraps ErrComponent where one of the items has no place in rooms of the kind.
func (s Set) Takes(items []Item) error {
	for _, x := range items {
		switch c := s.find(x.Name); {
		case c == nil:
			return fmt.Errorf("%w: the room takes no %.64s: put rooms.Carries[%.64s]() into Kind.Carries there", ErrComponent, x.Name, x.Name)
		case c.sum() != x.shape || c.Size != len(x.Bytes):
			return fmt.Errorf("%w: %s is another type in the room", ErrComponent, x.Name)
		}
	}
	return nil
}

// Reads refuses bytes that are meant to be a bundle, and are none that rooms of the kind take.
func (s Set) Reads(carried []byte) error {
	if !Is(carried) {
		return nil
	}
	b, err := Parse(carried)
	if err != nil {
		return err
	}
	return s.Takes(b.Items)
}

// Has are the items that an entity has, without their bytes.
func (s Set) Has(w *ecs.World, e ecs.Entity) (items []Item) {
	for i := range s {
		c := &s[i]
		if w.Netcode().Pointer(e, c.of(w.Protocol())) != nil {
			items = append(items, Item{c.Name, c.sum(), make([]byte, c.Size)})
		}
	}
	return items
}

// Lift takes the components off an entity.
func (s Set) Lift(w *ecs.World, e ecs.Entity) (items []Item) {
	for i := range s {
		c := &s[i]
		if b, has := c.take(w, e, make([]byte, 0, max(c.Size, 0))); has {
			items = append(items, Item{c.Name, c.sum(), b})
		}
	}
	return items
}

// Give gives items to an entity, which the kind takes.
func (s Set) Give(w *ecs.World, e ecs.Entity, items []Item) {
	for _, x := range items {
		if c := s.find(x.Name); c != nil && c.sum() == x.shape && c.Size == len(x.Bytes) {
			c.give(w, e, x.Bytes)
		}
	}
}

// EntityOf is the oldest entity of a client.
func EntityOf(w *ecs.World, client uint32) (oldest ecs.Entity, ok bool) {
	for e, x := range ecs.All[struct{ Owner components.Owner }](w) {
		if x.Owner.Client == client && (!ok || w.NetID(e) < w.NetID(oldest)) {
			oldest, ok = e, true
		}
	}
	return oldest, ok
}

// Waiting are items by client, until it has an entity.
type Waiting map[uint32][]Item

// Give gives what waits to clients that have one.
func (x Waiting) Give(w *ecs.World, set Set) {
	for client, items := range x {
		if e, ok := EntityOf(w, client); ok {
			set.Give(w, e, items)
			delete(x, client)
		}
	}
}
