package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// attachment is the motion of an entity that others are attached to.
type attachment struct {
	id         uint32
	part, slot int // part −1: it is not in the block
	ready      bool
	ok         bool // it has a place now and in the baseline
	ok2        bool // and in the second baseline

	// Where the entity is, and was in both baselines.
	now, then, then2 [3]int64
	grid             [3]float64

	// How the entity turned.
	turning bool           // it has an orientation
	turn    whole.Rotation // from the baseline to now
	m, m2   whole.Matrix   // from the baseline to now, from the second to the first
}

// parents are the entities that others are attached to.
type parents struct {
	found []attachment
	known map[uint32]int32 // where in found, by ID
	last  int32            // the one asked for last, −1 for none
	index idIndex
}

// mostFound bounds how many parents are remembered at a time.
const mostFound = 4096

// reattach sets parent to what the current state names, once the ref is known.
func (w *walk) reattach() {
	if w.plan.rated {
		w.rates, w.moved = w.cur, false
	}
	before := w.parent
	w.parent = nil
	if at := w.plan.parent; at >= 0 && w.cur[at] != 0 {
		a := w.named(uint32(w.cur[at]), w.parts)
		if a.part >= 0 && w.parts[a.part].done>>a.slot&1 != 0 {
			w.parent = w.resolve(a)
		}
	}
	if w.parent != before {
		w.moved = false
	}
}

// named returns what is known of the entity id as a parent.
func (p *parents) named(id uint32, parts []walkPart) *attachment {
	if p.last >= 0 && p.found[p.last].id == id {
		return &p.found[p.last]
	}
	if len(p.found) >= mostFound {
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

// resolve returns a with its motion, or nil if it has none or is not yet known.
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

// idIndex finds entities of a block by their ID: by looking through all for the
// first few, then in a table.
type idIndex struct {
	looked int
	table  map[uint32]int32
}

func (x *idIndex) reset() {
	x.looked = 0
	if len(x.table) > 0 {
		clear(x.table)
	}
}

func (x *idIndex) find(parts []walkPart, id uint32) (part, slot int) {
	if x.looked++; x.looked <= 8 {
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
		// Backwards: the first of two with the same ID is the one that is found.
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
