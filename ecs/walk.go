package ecs

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/order"
)

// Each yields the entities that this peer simulates and that have the components of the row struct R, a struct of pointers:
//
//	type dot struct {
//		Pos *Position
//		In  *Move
//		Hat *Hat `ecs:"optional"` // nil when absent
//	}
//	for e, d := range ecs.Each[dot](w) { d.Pos.X += float32(d.In.DX) }
//
// A server simulates all entities, a client those that it predicts. The pointers are valid for one iteration. Rows come in
// storage order, which differs between peers. If the result depends on the order, use [EachInOrder].
func Each[R any](w *World) iter.Seq2[Entity, R] { return each[R](w, false, 0) }

// EachOf is [Each] for the entities of one client. Its cost depends on the number of that client's entities only. Owner 0
// is the server, which owns all entities without components.Owner. It yields nothing for an owner on hold or outside of the
// scope of [Netcode.SimulateOnly].
func EachOf[R any](w *World, owner uint32) iter.Seq2[Entity, R] { return each[R](w, true, owner) }

// each is Each, or EachOf if narrowed is true.
func each[R any](w *World, narrowed bool, owner uint32) iter.Seq2[Entity, R] {
	return func(yield func(Entity, R) bool) {
		var c cursor
		var row pointers[R]
		c.reset(w, w.rowOf(reflect.TypeFor[R](), formPointers), true)
		if narrowed {
			c.narrow(owner)
		}
		c.aim.spare = unsafe.Offsetof(row.spare)
		p := unsafe.Pointer(&row)
		for c.nextRun() {
			// The first three pointers advance in registers, so a walk over three
			// components costs little more than a walk over its columns.
			f, g, h := c.aim.fields[0].at(0), c.aim.fields[1].at(0), c.aim.fields[2].at(0)
			fSize, fSlot := c.aim.fields[0].size, (*uintptr)(unsafe.Add(p, c.aim.fields[0].offset))
			gSize, gSlot := c.aim.fields[1].size, (*uintptr)(unsafe.Add(p, c.aim.fields[1].offset))
			hSize, hSlot := c.aim.fields[2].size, (*uintptr)(unsafe.Add(p, c.aim.fields[2].offset))
			more := c.aim.more
			for i, e := range c.entities {
				*fSlot, *gSlot = f, g
				f, g = f+fSize, g+gSize
				if more {
					*hSlot = h
					h += hSize
					if c.aim.most {
						c.point(p, 3, i)
					}
				}
				if !yield(e, row.R) {
					return
				}
				if w.storage.version != c.version {
					panicMoved()
				}
			}
		}
	}
}

// pointers is a row struct under construction. The walk always sets at least three pointers, so that most rows need no
// loop. Unused pointers are written to spare.
type pointers[R any] struct {
	R     R
	spare unsafe.Pointer
}

// at returns the address of component i of the run. As a uintptr it is stored into a row struct without a write barrier.
// This is safe because the row struct is on the stack and storage keeps the column alive.
func (f *aimed) at(i int) uintptr { return uintptr(f.base) + uintptr(i)*f.size }

// point sets the fields of the row struct at p to row i of the run: the pointers from k on, and the Entity.
func (c *cursor) point(p unsafe.Pointer, k, i int) {
	for ; k < c.aim.n; k++ {
		f := &c.aim.fields[k&(maxRowFields-1)]
		*(*uintptr)(unsafe.Add(p, f.offset)) = f.at(i)
	}
	if c.r.named {
		*(*Entity)(unsafe.Add(p, c.r.entity)) = c.entities[i]
	}
}

// All yields copies of the components of all visible entities that have the components of the row struct V, a struct of
// component values. It includes entities that this peer does not simulate. Use it for reading, such as collisions and
// queries, on both sides. An absent optional component is zero; call [Has] where zero is a value too.
func All[V any](w *World) iter.Seq2[Entity, V] {
	return func(yield func(Entity, V) bool) {
		var c cursor
		c.reset(w, w.rowOf(reflect.TypeFor[V](), formValues), false)
		for c.nextRun() {
			var row V // zero where an optional component is absent
			for i, e := range c.entities {
				for k := range c.aim.n {
					f := &c.aim.fields[k&(maxRowFields-1)]
					move(unsafe.Add(unsafe.Pointer(&row), f.offset), unsafe.Add(f.base, uintptr(i)*f.size), f.size)
				}
				if !yield(e, row) {
					return
				}
				c.check()
			}
		}
	}
}

// move copies n bytes without pointers. It copies common sizes without a call.
func move(dst, src unsafe.Pointer, n uintptr) {
	switch n {
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	case 8:
		*(*[2]uint32)(dst) = *(*[2]uint32)(src)
	case 12:
		*(*[3]uint32)(dst) = *(*[3]uint32)(src)
	case 16:
		*(*[4]uint32)(dst) = *(*[4]uint32)(src)
	default:
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

// EachInOrder is [Each] in the order of NetIDs, for interactions whose result depends on the order. Predicted spawns
// without a NetID come last, in the order of their keys. Other entities without a NetID are left out. EachInOrder sorts at
// every call.
func EachInOrder[R any](w *World) iter.Seq2[Entity, R] {
	return func(yield func(Entity, R) bool) {
		var c cursor
		var row pointers[R]
		c.reset(w, w.rowOf(reflect.TypeFor[R](), formPointers), true)
		c.aim.spare = unsafe.Offsetof(row.spare)
		defer func(base int) { w.rows.places = w.rows.places[:base] }(len(w.rows.places))
		for _, at := range c.sorted() {
			c.t = w.storage.tables[at.Of]
			c.aimAt(int(at.At), 1)
			c.point(unsafe.Pointer(&row), 0, 0)
			if !yield(c.entities[0], row.R) {
				return
			}
			c.check()
		}
	}
}

// sorted returns the rows of the walk in order, on top of the stack of places of the world.
func (c *cursor) sorted() []order.Item {
	w := c.w
	base := len(w.rows.places)
	for c.nextRun() {
		col := c.t.cols[w.setup.protocol.core.netID.index]
		if col == nil {
			if col := c.t.cols[w.setup.protocol.core.key.index]; col != nil {
				for i, key := range unsafe.Slice((*SpawnKey)(col), c.t.n)[c.start : c.start+len(c.entities)] {
					w.rows.places = append(w.rows.places, order.Item{Key: key.order(), At: int32(c.start + i), Of: int32(c.t.index)})
				}
			}
			continue
		}
		for i, id := range unsafe.Slice((*components.NetID)(col), c.t.n)[c.start : c.start+len(c.entities)] {
			w.rows.places = append(w.rows.places, order.Item{Key: uint64(id), At: int32(c.start + i), Of: int32(c.t.index)})
		}
	}
	places := w.rows.places[base:]
	order.Sort(places)
	return places
}
