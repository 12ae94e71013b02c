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

// Where components have interests of their own, an entity stands in a group for each choice of its veils: see
// [capture.Frame.Veils]. A client sees it in one of them: the one with those veils that it may look behind. What it
// does not see there is not in that group, and what is not there decides nothing: neither by which home the group
// goes nor what a box is around.
//
// So that an entity is seen in one group and not in two or none, what a Grid says is the same in all of them: it goes
// by the cell, and not by the box around those who stand in a group.

// curtain is the veils of a program.
type curtain struct {
	veils  []veil
	pieces []veiledPiece // of the newest frame, by group
}

// veiledPiece is what a group has of veils.
type veiledPiece struct {
	there uint8            // veils that its entities stand there with
	less  [maxVeils]uint64 // by veil that is not there: slots of entities that have it
}

// unveiled is the veil of what has none.
const unveiled = -1

// leaf is what a Grid and a Same have in common.
type leaf struct {
	comp *ecs.Component
	slot int     // in homes
	size uintptr // of the component
	veil int     // that the component is behind, or unveiled

	column unsafe.Pointer // of the table at hand; nil: nobody knows it there
	first  bool           // the entities of the table are there with no more veils than that
}

// begin begins with a table whose entities have some of their veils.
func (x *leaf) begin(t ecs.Table, veils uint8) {
	x.column, x.first = nil, x.veil == unveiled && veils == 0 || x.veil != unveiled && veils == 1<<x.veil
	if x.veil == unveiled || veils>>x.veil&1 != 0 {
		x.column = t.Column(x.comp)
	}
}

// Veils are the components that are known to the same clients, by veil.
func (c *curtain) Veils() (masks []uint64) {
	for i := range c.veils {
		masks = append(masks, c.veils[i].mask)
	}
	return masks
}

// veilsOf are the veils that a mask has components of.
func (c *curtain) veilsOf(mask uint64) (veils uint8) {
	for i := range c.veils {
		if c.veils[i].mask&mask != 0 {
			veils |= 1 << i
		}
	}
	return veils
}

// hang notes which operands go by components behind a veil.
func hang(p *Program) {
	each := func(x *leaf) {
		x.veil = unveiled
		if i := slices.Index(p.protocol.Replicated(), x.comp); i >= 0 {
			x.veil = bits.Len8(p.veilsOf(1<<i)) - 1
		}
	}
	for _, g := range p.grids {
		each(&g.leaf)
	}
	for _, s := range p.sames {
		each(&s.leaf)
	}
}

// look takes in which entities of a frame are without veils that they have.
func (c *curtain) look(f *capture.Frame) {
	if len(c.veils) == 0 {
		return
	}
	c.pieces = reuse.Longer(c.pieces, len(f.Groups))
	for i := range c.pieces {
		g, x := &f.Groups[i], &c.pieces[i]
		*x = veiledPiece{}
		if g.Alive != 0 {
			x.there = c.veilsOf(g.Masks[bits.TrailingZeros64(g.Alive)]) // as of all of its kind
		}
		for m := g.Alive; m != 0; m &= m - 1 {
			for less := f.Veils(i, bits.TrailingZeros64(m)) &^ x.there; less != 0; less &= less - 1 {
				x.less[bits.TrailingZeros8(less)] |= m & -m
			}
		}
	}
}

// behind is what a client keeps where there are veils.
type behind struct {
	cells     [][]cell // by Grid, that are near, in order
	elsewhere []Seen   // by group: slots of entities that it sees in another one
}

// Elsewhere are the slots of a group of entities that the client sees in another one, with more or fewer components.
func (b *behind) Elsewhere(group int) uint64 {
	if i, ok := slices.BinarySearchFunc(b.elsewhere, group, func(s Seen, g int) int { return s.Group - g }); ok {
		return b.elsewhere[i].Slots
	}
	return 0
}

// begin begins a look, and end ends it.
func (b *behind) begin(p *Program, r *Room) {
	if b.elsewhere = b.elsewhere[:0]; b.cells == nil && len(p.veils) > 0 {
		b.cells = make([][]cell, len(p.grids))
	}
	for i := range r.cells {
		r.cells[i] = r.cells[i][:0]
	}
}

func (b *behind) end(r *Room) {
	for i := range b.cells {
		slices.SortFunc(r.cells[i], compareCells)
		r.cells[i] = slices.Compact(r.cells[i])
		b.cells[i], r.cells[i] = r.cells[i], b.cells[i]
	}
}

func compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}

// lift is what is left of the slots that the client sees of the group, where those entities only are seen there of which
// it may look behind the veils that are there, and no others. Of its own it sees all, where they are with all.
func (l *look) lift(slots, alive, own, part uint64) uint64 {
	known := (slots | own | part) & alive
	if known == 0 {
		return 0
	}
	x, mine := &l.p.pieces[l.group], own|part
	slots |= own
	for i := range l.p.veils {
		n := &l.p.veils[i].node
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
	if c := l.p.homes.list[l.p.at[group]].at[g.slot]; len(l.p.veils) > 0 {
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

// box is what has to be near: the box around the entities of a group, or where there are veils around the cell.
func (l *look) box(g *grid, group int32) box {
	if len(l.p.veils) == 0 {
		return g.boxes[group]
	}
	return g.bounds(l.p.homes.list[l.p.at[group]].at[g.slot])
}

// whole is what a Grid or Same says of the slots of a group that is without the component, by those where the entities
// have it.
func (l *look) whole(n *node, x *leaf, of uint64) (s said) {
	for m := of & l.p.pieces[l.group].less[x.veil]; m != 0; m &= m - 1 {
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
	if x.veil == unveiled || l.p.has(l.group, x.slot) {
		return l.group
	}
	g, _ := l.p.frame.Whole(int(l.group), slot)
	return int32(g)
}

// stood reports whether the group was near by a Grid before.
func (l *look) stood(n *node) bool {
	if len(l.p.veils) == 0 {
		return l.was>>n.leaf&1 != 0
	}
	return l.group >= 0 && l.p.has(l.group, l.p.grids[n.leaf].slot) && l.near(n, l.group)
}
