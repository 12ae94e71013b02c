package ecs

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// place is where an entity is stored.
type place struct {
	id  uint64 // NetID, or the order of the key
	row int32
	t   *table
}

// EachInOrder is [Each] in order of NetID, for interactions whose result
// depends on who comes first. Predicted spawns that have no NetID yet come last, in
// the order of their keys; other entities without a NetID are left out. It sorts
// at every call.
func EachInOrder[R any](w *World) iter.Seq2[Entity, R] {
	return func(yield func(Entity, R) bool) {
		var c cursor
		var row pointers[R]
		c.begin(w, w.rowOf(reflect.TypeFor[R](), formPointers), true)
		c.spare = unsafe.Offsetof(row.spare)
		base := len(w.rows.places)
		defer func() { w.rows.places = w.rows.places[:base] }()
		for _, at := range c.sorted() {
			c.t = at.t
			c.aim(int(at.row), 1)
			c.point(unsafe.Pointer(&row), 0, 0)
			if !yield(c.entities[0], row.R) {
				return
			}
			c.check()
		}
	}
}

// sorted returns the places that the walk visits in order of NetID, on top of
// the world's stack of places.
func (c *cursor) sorted() []place {
	w := c.w
	base := len(w.rows.places)
	for c.run() {
		col := c.t.cols[w.setup.protocol.netIDC.index]
		if col == nil {
			if col := c.t.cols[w.setup.protocol.keyC.index]; col != nil {
				for i, key := range unsafe.Slice((*SpawnKey)(col), c.t.n)[c.start : c.start+len(c.entities)] {
					w.rows.places = append(w.rows.places, place{key.order(), int32(c.start + i), c.t})
				}
			}
			continue
		}
		for i, id := range unsafe.Slice((*components.NetID)(col), c.t.n)[c.start : c.start+len(c.entities)] {
			w.rows.places = append(w.rows.places, place{uint64(id), int32(c.start + i), c.t})
		}
	}
	places := w.rows.places[base:]
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.id, b.id) })
	return places
}
