package interest

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// A component that only some clients may see is restricted. For a client that may not see it, the bit of the component is missing in
// the mask of the entity.

// componentRules holds the restrictions of a program.
type componentRules struct {
	restrictions []restriction
	there        [][maxRestrictions]uint64 // by group of the newest frame and restriction: slots with some of its components
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

// restrictedBy reports whether a restriction contains components of mask.
func (c *componentRules) restrictedBy(mask uint64) bool {
	for i := range c.restrictions {
		if c.restrictions[i].mask&mask != 0 {
			return true
		}
	}
	return false
}

// updateRestricted updates there for a frame.
func (c *componentRules) updateRestricted(f *frames.Frame) {
	if len(c.restrictions) == 0 {
		return
	}
	c.there = reuse.Longer(c.there, len(f.Groups))
	for g := range c.there {
		x := &c.there[g]
		*x = [maxRestrictions]uint64{}
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			mask := f.Groups[g].Masks[bits.TrailingZeros64(m)]
			for i := range c.restrictions {
				if c.restrictions[i].mask&mask != 0 {
					x[i] |= m & -m
				}
			}
		}
	}
}

// restrict returns those of the visible slots, by restriction, whose components the restriction hides from the client.
func (l *look) restrict(slots uint64) (hidden [maxRestrictions]uint64) {
	for i := range l.p.restrictions {
		if there := l.p.there[l.group][i] & slots; there != 0 {
			hidden[i] = there &^ l.say(&l.p.restrictions[i].node, there).sees()
		}
	}
	return hidden
}

// Mask returns the components of mask that a client sees of an entity in a visible slot.
func (p *Program) Mask(s *Seen, slot int, mask uint64) uint64 {
	if p == nil {
		return mask
	}
	for i := range p.restrictions {
		if s.Hidden[i]>>slot&1 != 0 {
			mask &^= p.restrictions[i].mask
		}
	}
	return mask
}
