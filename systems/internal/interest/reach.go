package interest

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// cells finds entities by place. All entities of a frame are sorted by the hash of their cell, so that the entities of a cell
// lie together. Several cells can have the same hash, so that a search checks each distance.
type cells struct {
	first  []int32 // by hash of a cell, the index of its first entity in list; the last element is the length of list
	list   []located
	hashes []uint32 // by entity, scratch
	found  []located
}

// located is the place of an entity of a frame.
type located struct {
	at    point
	group int32
	slot  uint8
}

// hash returns the hash of a cell, for a number of hashes that is a power of two.
func (c cell) hash(hashes int) uint32 {
	return (uint32(c[0])*0x9e3779b1 ^ uint32(c[1])*0x85ebca6b ^ uint32(c[2])*0xc2b2ae35) * 0x27d4eb2f >> 7 & uint32(hashes-1)
}

// sort sorts the entities in found by cell.
func (x *cells) sort(g *grid) {
	hashes := 1 << bits.Len(uint(len(x.found)))
	x.first = reuse.Slice(x.first, hashes+1)
	clear(x.first)
	x.hashes, x.list = reuse.Slice(x.hashes, len(x.found)), reuse.Slice(x.list, len(x.found))
	for i := range x.found {
		h := g.cellOf(x.found[i].at).hash(hashes)
		x.hashes[i] = h
		x.first[h]++
	}
	sum := int32(0)
	for h, n := range x.first {
		sum += n
		x.first[h] = sum
	}
	for i := range x.found { // from the end of each cell down
		h := x.hashes[i]
		x.first[h]--
		x.list[x.first[h]] = x.found[i]
	}
}

// locate finds the places of the entities of a frame.
func (g *grid) locate(p *Program, f *frames.Frame) {
	x := &g.cells
	x.found = x.found[:0]
	g.has = p.find(f, g.comp, g.has, func(group, slot int, at unsafe.Pointer) {
		x.found = append(x.found, located{g.point(at), int32(group), uint8(slot)})
	})
	x.sort(g)
}

// reach sets the bits of the entities within Radius of one of the points, and of those that were in reach before and are
// within Leave.
func (g *grid) reach(points []point, before, now []uint64) {
	x := &g.cells
	near, far := g.radius*g.radius, g.leave*g.leave
	check := func(at point, list []located) {
		for i := range list {
			e := &list[i]
			d := squared(at, e.at)
			if d > far {
				continue
			}
			if bit := uint64(1) << e.slot; d <= near || before[e.group]&bit != 0 {
				now[e.group] |= bit
			}
		}
	}
	hashes := len(x.first) - 1
	for _, at := range points {
		var from, to cell
		room := 1.0
		for i := range g.axes {
			from[i], to[i] = cellAt(at[i]-g.leave, g.cell), cellAt(at[i]+g.leave, g.cell)
			room *= float64(to[i]-from[i]) + 1
		}
		if room >= float64(hashes) {
			check(at, x.list)
			continue
		}
		for cx := from[0]; cx <= to[0]; cx++ {
			for cy := from[1]; cy <= to[1]; cy++ {
				for cz := from[2]; cz <= to[2]; cz++ {
					h := cell{cx, cy, cz}.hash(hashes)
					check(at, x.list[x.first[h]:x.first[h+1]])
				}
			}
		}
	}
}

// cellOf returns the cell of a place.
func (g *grid) cellOf(at point) (c cell) {
	for i := range g.axes {
		c[i] = cellAt(at[i], g.cell)
	}
	return c
}

// squared returns the square of the distance between two places.
func squared(a, b point) (d float64) {
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	return d
}

// nearest returns the square of the distance from a place to the nearest of some points, infinite if there are none.
func nearest(points []point, to point) float64 {
	d := math.Inf(1)
	for _, at := range points {
		d = min(d, squared(at, to))
	}
	return d
}
