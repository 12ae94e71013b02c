package interest

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// A component that only some clients may see is restricted. An entity with restricted components is captured in several
// variants, each in a group of its own: see [capture.Frame.Restricted]. A client sees one variant: the one with exactly the
// restricted components that the client may see. A Grid or a Same answers once per entity, for the variant with all components.

// componentRules holds the restrictions of a program.
type componentRules struct {
	restrictions []restriction
	pieces       []restrictedGroup // of the newest frame, by group
}

// restrictedGroup describes the restricted components of the variants in a group.
type restrictedGroup struct {
	there uint8                   // bits of the restrictions whose components the group contains
	less  [maxRestrictions]uint64 // by restriction that the group lacks: slots whose entities have its components in another variant
}

// RestrictedSets returns the mask of the restricted components of each restriction.
func (p *Program) RestrictedSets() (masks []uint64) {
	if p == nil {
		return nil
	}
	for i := range p.restrictions {
		masks = append(masks, p.restrictions[i].mask)
	}
	return masks
}

// restrictedBy returns the bits of the restrictions that contain components of mask.
func (c *componentRules) restrictedBy(mask uint64) (restricted uint8) {
	for i := range c.restrictions {
		if c.restrictions[i].mask&mask != 0 {
			restricted |= 1 << i
		}
	}
	return restricted
}

// updateRestricted updates pieces for a frame.
func (c *componentRules) updateRestricted(f *capture.Frame) {
	if len(c.restrictions) == 0 {
		return
	}
	c.pieces = reuse.Longer(c.pieces, len(f.Groups))
	for i := range c.pieces {
		g, x := &f.Groups[i], &c.pieces[i]
		*x = restrictedGroup{}
		if g.Alive != 0 {
			x.there = c.restrictedBy(g.Masks[bits.TrailingZeros64(g.Alive)]) // all entities of a group have the same components
		}
		for m := g.Alive; m != 0; m &= m - 1 {
			for less := f.Restricted(i, bits.TrailingZeros64(m)) &^ x.there; less != 0; less &= less - 1 {
				x.less[bits.TrailingZeros8(less)] |= m & -m
			}
		}
	}
}

// isWhole reports whether a slot of the newest frame is the variant with all components of its entity.
func (p *Program) isWhole(group, slot int) bool {
	if len(p.restrictions) == 0 {
		return true
	}
	g, k := p.frame.Whole(group, slot)
	return g == group && k == slot
}

// whole returns the answers of an operand for the slots of. has and yes contain slots by group: the entities to which the
// operand applies, and those for which it answers yes. Every variant gets the answer of the variant with all components.
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

// applyRestrictions returns those of the visible slots that the client sees in this variant. The client may see the restricted
// components that the variant has, and none of those that it lacks. own are the client's own entities with all components,
// which it sees; part are other variants of own entities, which it does not see.
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
