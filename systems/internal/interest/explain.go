package interest

import (
	"math"
	"slices"
)

// Part is what one operand of an interest said of an entity to a client: a Grid, a Same or a Filter.
type Part struct {
	// Operand is what it is, and of which component or row.
	Operand string
	// Asked is false where a Filter was not asked, because others had settled it. Silent says that it says nothing of this
	// entity, which is seen as far as it goes, and Sees that it says yes.
	Asked, Silent, Sees bool
	// Distance is how far the piece with the entity is from the nearest of the client's own, and Radius how near it has to come;
	// both are 0 where the operand is no Grid. Distance is negative where the client has never had a place.
	Distance, Radius float64
}

// explain is Program.Explain of a node.
func (l *look) explain(parts []Part, n *node, slot int, near bool) []Part {
	p, g := l.p, l.group
	x := Part{Asked: true}
	switch n.op {
	case opGrid:
		of := p.grids[n.leaf]
		points := l.c.points[n.leaf]
		x.Operand, x.Silent = "Grid["+of.comp.Name+"]", !p.has(g, of.slot)
		if x.Silent {
			break
		}
		x.Radius, x.Distance = of.radius, -1
		for _, at := range points {
			if away := math.Sqrt(of.boxes[g].squared(at)); x.Distance < 0 || away < x.Distance {
				x.Distance = away
			}
		}
		x.Sees = l.now>>n.leaf&1 != 0 || !near && of.within(points, &of.boxes[g], false)
	case opSame:
		of := p.sames[n.leaf]
		x.Operand, x.Silent = "Same["+of.comp.Name+"]", !p.has(g, of.slot)
		x.Sees = !x.Silent && slices.Contains(l.c.values[n.leaf].numbers, p.homes.list[p.at[g]].at[of.slot][0])
	case opFilter:
		of, bit := p.filters[n.leaf], uint64(1)<<slot
		x.Operand, x.Silent = "Filter["+of.of+"]", of.groups[g].says&bit == 0
		if !x.Silent {
			x.Asked = near && l.heard[n.leaf].known&bit != 0
			x.Sees = x.Asked && l.heard[n.leaf].yes&bit != 0
		}
	default:
		for i := range n.of {
			parts = l.explain(parts, &n.of[i], slot, near)
		}
		return parts
	}
	return append(parts, x)
}
