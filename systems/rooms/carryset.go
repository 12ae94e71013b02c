package rooms

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// carrySet lists the components that the players of a kind of room carry.
type carrySet []Carry

// checkKinds returns an error if the protocol of a kind lacks a component that its players carry, or if two kinds carry
// different components with the same name.
func checkKinds(kinds []Kind) error {
	for _, a := range kinds {
		if len(a.Carries) == 0 {
			continue
		}
		p := a.Protocol()
		for i := range a.Carries {
			if err := a.Carries[i].check(p); err != nil {
				return fmt.Errorf("kind %s: Carries: %w", a.Name, err)
			}
			for _, b := range kinds {
				for k := range b.Carries {
					if err := a.Carries[i].checkSame(&b.Carries[k]); err != nil {
						return fmt.Errorf("kinds %s and %s: Carries: %w", a.Name, b.Name, err)
					}
				}
			}
		}
	}
	return nil
}

// checkModel returns an error if players cannot carry components under the model, or if there are too many components.
func (s carrySet) checkModel(m policy.Model) error {
	t := policy.TraitsOf(m)
	switch {
	case len(s) > maxCarryItems:
		return fmt.Errorf("%w: Carries has %d components, at most %d", ErrCarries, len(s), maxCarryItems)
	case len(s) > 0 && (t.RelaysInputs || t.Rewinds):
		return fmt.Errorf("%w: Carries under %s: ticks are simulated again there, with and without what came along; leave it out, and let ecs.Join make it of Player.Data", ErrCarries, m)
	}
	return nil
}

// byName returns the component with a name, or nil.
func (s carrySet) byName(name string) *Carry {
	for i := range s {
		if s[i].name == name {
			return &s[i]
		}
	}
	return nil
}

// checkItems returns an error that wraps ErrCarries if rooms of the kind cannot hold one of the items.
func (s carrySet) checkItems(items []carriedItem) error {
	for _, x := range items {
		switch c := s.byName(x.name); {
		case c == nil:
			return fmt.Errorf("%w: the room takes no %.64s: put rooms.Carries[%.64s]() into Kind.Carries there", ErrCarries, x.name, x.name)
		case c.hash() != x.shape || c.size != len(x.value):
			return fmt.Errorf("%w: %s is another type in the room", ErrCarries, x.name)
		}
	}
	return nil
}

// checkBundle returns an error if a bundle is invalid or rooms of the kind cannot hold its items. It accepts bytes that are not
// a bundle, because games may carry their own data.
func (s carrySet) checkBundle(carried []byte) error {
	if !isBundle(carried) {
		return nil
	}
	b, err := parseBundle(carried)
	if err != nil {
		return err
	}
	return s.checkItems(b.items)
}

// itemsOf returns the items for the components that an entity has, with zeros as values.
func (s carrySet) itemsOf(w *ecs.World, e ecs.Entity) (items []carriedItem) {
	for i := range s {
		c := &s[i]
		if w.Netcode().Pointer(e, c.component(w.Protocol())) != nil {
			items = append(items, carriedItem{c.name, c.hash(), make([]byte, c.size)})
		}
	}
	return items
}

// detach removes the components from an entity and returns them.
func (s carrySet) detach(w *ecs.World, e ecs.Entity) (items []carriedItem) {
	for i := range s {
		c := &s[i]
		if b, has := c.detach(w, e, make([]byte, 0, max(c.size, 0))); has {
			items = append(items, carriedItem{c.name, c.hash(), b})
		}
	}
	return items
}

// attach adds items to an entity. It skips items that the kind does not carry.
func (s carrySet) attach(w *ecs.World, e ecs.Entity, items []carriedItem) {
	for _, x := range items {
		if c := s.byName(x.name); c != nil && c.hash() == x.shape && c.size == len(x.value) {
			c.attach(w, e, x.value)
		}
	}
}

// oldestEntity returns the oldest entity that a client owns.
func oldestEntity(w *ecs.World, client uint32) (oldest ecs.Entity, ok bool) {
	for e, x := range ecs.All[struct{ Owner components.Owner }](w) {
		if x.Owner.Client == client && (!ok || w.NetID(e) < w.NetID(oldest)) {
			oldest, ok = e, true
		}
	}
	return oldest, ok
}

// waitingItems holds the items of clients that have no entity yet.
type waitingItems map[uint32][]carriedItem

// attach adds the items of each client that has an entity now to that entity.
func (x waitingItems) attach(w *ecs.World, set carrySet) {
	for client, items := range x {
		if e, ok := oldestEntity(w, client); ok {
			set.attach(w, e, items)
			delete(x, client)
		}
	}
}
