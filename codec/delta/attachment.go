package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// attachment is the motion of a parent entity.
type attachment struct {
	id         uint32
	part, slot int // part is −1 if the entity is not in the block
	ready      bool
	ok         bool // it has a place in the current state and in the baseline
	ok2        bool // it has a place in the second baseline too

	// The places in the current state and in both baselines.
	now, then, then2 [3]int64
	grid             [3]float64

	// The rotation.
	turning bool           // it has an orientation
	turn    whole.Rotation // from the baseline to the current state
	m, m2   whole.Matrix   // from the baseline to the current state; from the second baseline to the first
}

// parents is a cache of parent entities.
type parents struct {
	found []attachment
	known map[uint32]int32 // index in found, by network id
	last  int32            // index of the last result, or −1
	index idIndex
}

// maxFound limits the number of cached parents.
const maxFound = 4096

// reattach sets parent to the current parent, once the ref is known.
func (w *walk) reattach() {
	if w.plan.rated {
		w.rates, w.moved = w.cur, false
	}
	before := w.parent
	w.parent = nil
	if at := w.plan.parent; at >= 0 && w.cur[at] != 0 {
		a := w.findParent(uint32(w.cur[at]), w.parts)
		if a.part >= 0 && w.parts[a.part].done>>a.slot&1 != 0 {
			w.parent = w.resolve(a)
		}
	}
	if w.parent != before {
		w.moved = false
	}
}

// findParent returns the cached entity id as a parent. Its motion may not be known yet, see resolve.
func (p *parents) findParent(id uint32, parts []walkPart) *attachment {
	if p.last >= 0 && p.found[p.last].id == id {
		return &p.found[p.last]
	}
	if len(p.found) >= maxFound {
		clear(p.known)
		p.found = p.found[:0]
	}
	i, ok := p.known[id]
	if !ok {
		i = int32(len(p.found))
		p.found = append(p.found, attachment{id: id})
		a := &p.found[i]
		a.part, a.slot = p.index.find(parts, id)
		p.known[id] = i
	}
	p.last = i
	return &p.found[i]
}

// resolve computes the motion of a and returns a. It returns nil if the entity has no motion or its words are not known
// yet.
func (w *walk) resolve(a *attachment) *attachment {
	if a.ready {
		if !a.ok {
			return nil
		}
		return a
	}
	if a.part < 0 || w.parts[a.part].done>>a.slot&1 == 0 {
		return nil
	}
	a.ready = true
	p, k := &w.parts[a.part], a.slot
	if p.kept>>k&1 == 0 {
		return nil
	}
	pl := w.planOf(p.cur.Masks[k])
	now, then := p.cur.Record(k), p.base.Record(k)
	for i, at := range pl.place {
		if at >= 0 {
			a.ok = true
			a.now[i], a.then[i], a.grid[i] = int64(now[at]), int64(then[at]), pl.grid[i]
		}
	}
	if !a.ok {
		return nil
	}
	a.turning = pl.turn >= 0 && pl.even()
	var q whole.Rotation
	if a.turning {
		r := pl.quat.Rotation(now[pl.turn:])
		q = pl.quat.Rotation(then[pl.turn:])
		inv := q.Inverse()
		a.turn = r.Times(&inv)
		a.m = a.turn.Matrix()
	}
	if p.kept2>>k&1 != 0 {
		then2 := p.base2.Record(k)
		a.ok2 = true
		for i, at := range pl.place {
			if at >= 0 {
				a.then2[i] = int64(then2[at])
			}
		}
		if a.turning {
			r := pl.quat.Rotation(then2[pl.turn:])
			inv := r.Inverse()
			r = q.Times(&inv)
			a.m2 = r.Matrix()
		}
	}
	return a
}

// idIndex finds entities of a block by network id. The first eight lookups scan all entities; later ones use a table.
type idIndex struct {
	lookups int
	table   map[uint32]int32
}

func (x *idIndex) reset() {
	x.lookups = 0
	if len(x.table) > 0 {
		clear(x.table)
	}
}

func (x *idIndex) find(parts []walkPart, id uint32) (part, slot int) {
	if x.lookups++; x.lookups <= 8 {
		for i := range parts {
			for s := parts[i].slots; s != 0; s &= s - 1 {
				if k := bits.TrailingZeros64(s); parts[i].cur.IDs[k] == id {
					return i, k
				}
			}
		}
		return -1, 0
	}
	if len(x.table) == 0 {
		if x.table == nil {
			x.table = map[uint32]int32{}
		}
		// Go backward, so that the first of two entities with the same id is found.
		for i := len(parts) - 1; i >= 0; i-- {
			for s := parts[i].slots; s != 0; {
				k := bits.Len64(s) - 1
				s &^= 1 << k
				x.table[parts[i].cur.IDs[k]] = int32(i*GroupSize + k)
			}
		}
	}
	if at, ok := x.table[id]; ok {
		return int(at) / GroupSize, int(at) % GroupSize
	}
	return -1, 0
}
