package interest

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// If components have interests of their own, an entity is captured in several variants: see [capture.Frame.Restricted].
// A client sees one of them: the variant with the restricted components that it may see. What it may not see is not in that variant's group and
// decides nothing about it: neither its home nor its box.
//
// A Grid must say the same about all variants of an entity, so that a client sees exactly one of them. It therefore
// goes by the cell instead of by the box around the entities of a group.

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

// unrestricted is the restriction of components that have none.
const unrestricted = -1

// leaf is what a Grid and a Same have in common.
type leaf struct {
	comp        *ecs.Component
	slot        int     // in homes
	size        uintptr // of the component
	restriction int     // of the component, or unrestricted

	column unsafe.Pointer // of the table at hand; nil: nobody knows it there
	first  bool           // it is the first variant of the table with the component
}

// startTable starts a table, in a variant.
func (x *leaf) startTable(t ecs.Table, restricted uint8) {
	x.column, x.first = nil, x.restriction == unrestricted && restricted == 0 || x.restriction != unrestricted && restricted == 1<<x.restriction
	if x.restriction == unrestricted || restricted>>x.restriction&1 != 0 {
		x.column = t.Column(x.comp)
	}
}

// RestrictedSets returns the restricted components, by restriction.
func (c *componentRules) RestrictedSets() (masks []uint64) {
	for i := range c.restrictions {
		masks = append(masks, c.restrictions[i].mask)
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

// assignRestrictions notes which operands go by restricted components.
func assignRestrictions(p *Program) {
	each := func(x *leaf) {
		x.restriction = unrestricted
		if i := slices.Index(p.protocol.Replicated(), x.comp); i >= 0 {
			x.restriction = bits.Len8(p.restrictedBy(1<<i)) - 1
		}
	}
	for _, g := range p.grids {
		each(&g.leaf)
	}
	for _, s := range p.sames {
		each(&s.leaf)
	}
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

// clientVariants is what a client keeps if there are restrictions.
type clientVariants struct {
	cells     [][]cell // by Grid, that are near, in order
	elsewhere []Seen   // by group: slots of entities that it sees in another one
}

// Elsewhere returns the slots of a group whose entities the client sees in another variant.
func (b *clientVariants) Elsewhere(group int) uint64 {
	if i, ok := slices.BinarySearchFunc(b.elsewhere, group, func(s Seen, g int) int { return s.Group - g }); ok {
		return b.elsewhere[i].Slots
	}
	return 0
}

// start starts a send, and finish ends it.
func (b *clientVariants) start(p *Program, r *Room) {
	if b.elsewhere = b.elsewhere[:0]; b.cells == nil && len(p.restrictions) > 0 {
		b.cells = make([][]cell, len(p.grids))
	}
	for i := range r.cells {
		r.cells[i] = r.cells[i][:0]
	}
}

func (b *clientVariants) finish(r *Room) {
	for i := range b.cells {
		slices.SortFunc(r.cells[i], compareCells)
		r.cells[i] = slices.Compact(r.cells[i])
		b.cells[i], r.cells[i] = r.cells[i], b.cells[i]
	}
}

func compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
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
	slots &^= part
	if moved := known &^ slots; moved != 0 {
		l.c.elsewhere = append(l.c.elsewhere, Seen{int(l.group), moved})
	}
	return slots
}

// leafOf is the operand of a node that is a Grid or a Same.
func (l *leaves) leafOf(n *node) *leaf {
	if n.op == opGrid {
		return &l.grids[n.leaf].leaf
	}
	return &l.sames[n.leaf].leaf
}

// near reports whether a group is near, or the same; the client stands where it stood before.
func (l *look) near(n *node, group int32) bool {
	if n.op == opSame {
		return slices.Contains(l.c.values[n.leaf].numbers, l.p.homes.list[l.p.at[group]].at[l.p.sames[n.leaf].slot][0])
	}
	g, bit := l.p.grids[n.leaf], uint8(1)<<n.leaf
	b, was := l.box(g, group), l.was&bit != 0
	if c := l.p.homes.list[l.p.at[group]].at[g.slot]; len(l.p.restrictions) > 0 {
		_, was = slices.BinarySearchFunc(l.c.cells[n.leaf], cell(c), compareCells)
		if !g.within(l.c.points[n.leaf], &b, was) {
			return false
		}
		if l.r != nil {
			l.r.cells[n.leaf] = append(l.r.cells[n.leaf], c)
		}
	} else if !g.within(l.c.points[n.leaf], &b, was) {
		return false
	}
	l.now |= bit
	return true
}

// box is what has to be near: the box around the entities of a group, or if there are restrictions the box around the cell.
func (l *look) box(g *grid, group int32) box {
	if len(l.p.restrictions) == 0 {
		return g.boxes[group]
	}
	return g.bounds(l.p.homes.list[l.p.at[group]].at[g.slot])
}

// whole is what a Grid or Same says of the slots of a group that is without the component, by those where the entities
// have it.
func (l *look) whole(n *node, x *leaf, of uint64) (s said) {
	for m := of & l.p.pieces[l.group].less[x.restriction]; m != 0; m &= m - 1 {
		g, _ := l.p.frame.Whole(int(l.group), bits.TrailingZeros64(m))
		if l.p.has(int32(g), x.slot) {
			if s.says |= m & -m; l.near(n, int32(g)) {
				s.yes |= m & -m
			}
		}
	}
	return s
}

// standing is the group by which a Grid or Same goes of an entity in a slot of the group.
func (l *look) standing(x *leaf, slot int) int32 {
	if x.restriction == unrestricted || l.p.has(l.group, x.slot) {
		return l.group
	}
	g, _ := l.p.frame.Whole(int(l.group), slot)
	return int32(g)
}

// stood reports whether the group was near by a Grid before.
func (l *look) stood(n *node) bool {
	if len(l.p.restrictions) == 0 {
		return l.was>>n.leaf&1 != 0
	}
	return l.group >= 0 && l.p.has(l.group, l.p.grids[n.leaf].slot) && l.near(n, l.group)
}
