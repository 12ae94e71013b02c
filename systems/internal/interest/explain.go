package interest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Part is the answer of one operand of an interest for an entity and a client: a Grid, a Same or a Filter.
type Part struct {
	// Operand is the kind of the operand and its component or row.
	Operand string
	// Asked is false if a Filter was not asked because other operands had decided. Silent reports that the operand does
	// not apply to the entity, and Sees that it answers yes.
	Asked, Silent, Sees bool
	// Distance is the distance from the entity to the nearest of the client's own entities, and Radius the
	// distance at which it comes into sight; both are 0 if the operand is no Grid. Distance is negative if the client never had a place.
	Distance, Radius float64
}

// Untold is a hidden component of a visible entity, and the answers of its interest.
type Untold struct {
	Component string
	Parts     []Part
}

// Explain appends to parts the answer of each operand for a client and an entity of the newest frame. It uses the results of
// See.
func (p *Program) Explain(parts []Part, c *Client, group, slot int) []Part {
	return p.explain(parts, &p.entities, c, group, slot)
}

// Untold returns the components of a visible entity of the newest frame that are hidden from a client.
func (p *Program) Untold(c *Client, group, slot int) (all []Untold) {
	for i := range p.restrictions {
		k, _ := slices.BinarySearchFunc(c.Seen, group, func(s Seen, g int) int { return cmp.Compare(s.Group, g) })
		if k == len(c.Seen) || c.Seen[k].Group != group || c.Seen[k].Hidden[i]>>slot&1 == 0 {
			continue
		}
		e := p.frame.Entity(group, slot)
		for m := p.restrictions[i].mask; m != 0; m &= m - 1 {
			if comp := p.protocol.Replicated()[bits.TrailingZeros64(m)]; p.w.Netcode().Pointer(e, comp) != nil {
				all = append(all, Untold{comp.Name, p.explain(nil, &p.restrictions[i].node, c, group, slot)})
			}
		}
	}
	return all
}

// explain appends the answers of a node.
func (p *Program) explain(parts []Part, n *node, c *Client, group, slot int) []Part {
	e, w, x := p.frame.Entity(group, slot), p.w.Netcode(), Part{Asked: true}
	switch n.op {
	case opGrid:
		g := p.grids[n.leaf]
		at := w.Pointer(e, g.comp)
		x.Operand, x.Silent = "Grid["+g.comp.Name+"]", at == nil
		if x.Silent || c.points == nil {
			break
		}
		x.Radius, x.Distance = g.radius, -1
		if len(c.points[n.leaf]) > 0 {
			x.Distance = math.Sqrt(nearest(c.points[n.leaf], g.point(at)))
		}
		x.Sees = group < len(c.inside[n.leaf]) && c.inside[n.leaf][group]>>slot&1 != 0
	case opSame:
		s := p.sames[n.leaf]
		v := w.Pointer(e, s.comp)
		x.Operand, x.Silent = "Same["+s.comp.Name+"]", v == nil
		x.Sees = !x.Silent && c.values != nil && slices.Contains(c.values[n.leaf].numbers, s.find(v))
	case opFilter:
		f, bit := p.filters[n.leaf], uint64(1)<<slot
		x.Operand, x.Silent = "Filter["+f.of+"]", f.groups[group].says&bit == 0
		if !x.Silent {
			h := heard{}
			if c.heard != nil && group < len(c.heard[n.leaf]) {
				h = c.heard[n.leaf][group]
			}
			x.Asked, x.Sees = h.known&bit != 0, h.known&h.yes&bit != 0
		}
	case opHas:
		h := p.having[n.leaf]
		x.Operand, x.Sees = "Has["+h.comp.Name+"]", h.slots[group]>>slot&1 != 0
		x.Silent = !x.Sees
	default:
		for i := range n.of {
			parts = p.explain(parts, &n.of[i], c, group, slot)
		}
		return parts
	}
	return append(parts, x)
}
