package interest

import (
	"math"
)

// Part is the answer of one operand of an interest for an entity and a client: a Grid, a Same or a Filter.
type Part struct {
	// Operand is the kind of the operand and its component or row.
	Operand string
	// Asked is false if a Filter was not asked because other operands had decided. Silent reports that the operand does
	// not apply to the entity, and Sees that it answers yes.
	Asked, Silent, Sees bool
	// Distance is the distance from the group of the entity to the nearest of the client's own entities, and Radius the
	// distance at which it comes into sight; both are 0 if the operand is no Grid. Distance is negative if the client never had a place.
	Distance, Radius float64
}

// Untold is a hidden component of a visible entity, and the answers of its interest.
type Untold struct {
	Component string
	Parts     []Part
}

// explain appends the answers of a node.
func (l *look) explain(parts []Part, n *node, slot int, near bool) []Part {
	p, x := l.p, Part{Asked: true}
	switch n.op {
	case opGrid:
		of := p.grids[n.leaf]
		g, points := l.standing(&of.leaf, slot), l.c.points[n.leaf]
		x.Operand, x.Silent = "Grid["+of.comp.Name+"]", !p.has(g, of.slot)
		if x.Silent {
			break
		}
		x.Radius, x.Distance = of.radius, -1
		b := l.box(of, g)
		for _, at := range points {
			if away := math.Sqrt(b.squared(at)); x.Distance < 0 || away < x.Distance {
				x.Distance = away
			}
		}
		if len(p.restrictions) > 0 {
			x.Sees = l.near(n, g)
		} else {
			x.Sees = l.now>>n.leaf&1 != 0 || !near && of.within(points, &b, false)
		}
	case opSame:
		of := p.sames[n.leaf]
		g := l.standing(&of.leaf, slot)
		x.Operand, x.Silent = "Same["+of.comp.Name+"]", !p.has(g, of.slot)
		x.Sees = !x.Silent && l.near(n, g)
	case opFilter:
		of, bit := p.filters[n.leaf], uint64(1)<<slot
		x.Operand, x.Silent = "Filter["+of.of+"]", of.groups[l.group].says&bit == 0
		if !x.Silent {
			x.Asked = near && l.heard[n.leaf].known&bit != 0
			x.Sees = x.Asked && l.heard[n.leaf].yes&bit != 0
		}
	case opHas:
		of := p.having[n.leaf]
		x.Operand, x.Sees = "Has["+of.comp.Name+"]", of.slots[l.group]>>slot&1 != 0
		x.Silent = !x.Sees
	default:
		for i := range n.of {
			parts = l.explain(parts, &n.of[i], slot, near)
		}
		return parts
	}
	return append(parts, x)
}
