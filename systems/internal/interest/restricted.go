package interest

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// If components have interests of their own, an entity is captured in several variants: see [capture.Frame.Restricted].
// A client sees one of them: the variant with the restricted components that it may see. Grids and Sames answer for an entity
// once, by the variant with all of its components.

// componentRules are the restrictions of a program.
type componentRules struct {
	restrictions []restriction
	pieces       []restrictedGroup // of the newest frame, by group
}

// restrictedGroup is what is known of a group with regard to restricted components.
type restrictedGroup struct {
	there uint8                   // restrictions whose components its entities have in it
	less  [maxRestrictions]uint64 // by restriction whose components are not in it: slots of entities that have them elsewhere
}

// RestrictedSets returns the restricted components, by restriction.
func (p *Program) RestrictedSets() (masks []uint64) {
	if p == nil {
		return nil
	}
	for i := range p.restrictions {
		masks = append(masks, p.restrictions[i].mask)
	}
	return masks
}

// restrictedBy returns the restrictions of components in a mask, one bit each.
func (c *componentRules) restrictedBy(mask uint64) (restricted uint8) {
	for i := range c.restrictions {
		if c.restrictions[i].mask&mask != 0 {
			restricted |= 1 << i
		}
	}
	return restricted
}

// updateRestricted finds the entities of a frame that are in groups without components that they have.
func (c *componentRules) updateRestricted(f *capture.Frame) {
	if len(c.restrictions) == 0 {
		return
	}
	c.pieces = reuse.Longer(c.pieces, len(f.Groups))
	for i := range c.pieces {
		g, x := &f.Groups[i], &c.pieces[i]
		*x = restrictedGroup{}
		if g.Alive != 0 {
			x.there = c.restrictedBy(g.Masks[bits.TrailingZeros64(g.Alive)]) // as of all of its kind
		}
		for m := g.Alive; m != 0; m &= m - 1 {
			for less := f.Restricted(i, bits.TrailingZeros64(m)) &^ x.there; less != 0; less &= less - 1 {
				x.less[bits.TrailingZeros8(less)] |= m & -m
			}
		}
	}
}

// isWhole reports whether a slot of the newest frame has all components of its entity.
func (p *Program) isWhole(group, slot int) bool {
	if len(p.restrictions) == 0 {
		return true
	}
	g, k := p.frame.Whole(group, slot)
	return g == group && k == slot
}

// whole returns the answers that two sets of slots by group give for the slots of: has are entities with the component of an
// operand, and yes are those for which it answers yes. Variants have the answer of the entity with all of its components.
func (l *look) whole(has, yes []uint64, of uint64) (s said) {
	if len(l.p.restrictions) == 0 {
		return said{has[l.group], yes[l.group]}
	}
	for m := of & l.p.frame.Groups[l.group].Alive; m != 0; m &= m - 1 {
		g, k := l.p.frame.Whole(l.group, bits.TrailingZeros64(m))
		if has[g]>>k&1 != 0 {
			if s.says |= m & -m; yes[g]>>k&1 != 0 {
				s.yes |= m & -m
			}
		}
	}
	return s
}

// applyRestrictions returns those of the visible slots of a group that the client sees in this variant: it may see the
// restricted components that are in it, and none of those that are not. It sees its own entities with all components.
func (l *look) applyRestrictions(slots, alive, own, part uint64) uint64 {
	known := (slots | own | part) & alive
	if known == 0 {
		return 0
	}
	x, mine := &l.p.pieces[l.group], own|part
	slots |= own
	for i := range l.p.restrictions {
		n := &l.p.restrictions[i].node
		if x.there>>i&1 != 0 {
			slots &= l.say(n, known&^mine).sees() | own
		} else if less := x.less[i] &^ mine & known; less != 0 {
			slots &^= less & l.say(n, less).sees()
		}
	}
	return slots &^ part
}
