package ecs

import (
	"cmp"
	"iter"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// run is a stretch of rows of one table.
type run struct {
	t        *table
	start, n int
}

// Each walks the entities that this peer simulates and that have the
// components of the row struct R, a struct of pointers:
//
//	type dot struct {
//		Pos *Position
//		In  *Move
//		Hat *Hat `ecs:"optional"` // nil when absent
//	}
//	for e, d := range ecs.Each[dot](w) { d.Pos.X += float32(d.In.DX) }
//
// On a server that is every entity of that shape; on a client those that it
// predicts. The pointers are good for one iteration. Rows come in storage
// order, which differs between peers: where the result depends on the order,
// use [EachInOrder].
func Each[R any](w *World) iter.Seq2[Entity, R] {
	return func(yield func(Entity, R) bool) { walkPointers(w, yield) }
}

func walkPointers[R any](w *World, yield func(Entity, R) bool) {
	r := rowOf[R](w, formPointers)
	base := len(w.runs)
	w.collect(r, true)
	version := w.version
	for _, run := range w.runs[base:] {
		var row R
		p := unsafe.Pointer(&row)
		r.aim(p, run.t, run.start)
		entities := w.entities(run.t)[run.start : run.start+run.n]
		for i := 0; ; {
			if r.entity >= 0 {
				*(*Entity)(unsafe.Add(p, r.entity)) = entities[i]
			}
			if !yield(entities[i], row) {
				w.runs = w.runs[:base]
				return
			}
			if w.version != version {
				panicMoved()
			}
			if i++; i == len(entities) {
				break // before a pointer leaves its column
			}
			for k := range r.fields {
				f := &r.fields[k]
				if at := (*unsafe.Pointer)(unsafe.Add(p, f.offset)); *at != nil {
					*at = unsafe.Add(*at, f.size)
				}
			}
		}
	}
	w.runs = w.runs[:base]
}

// All walks everything visible, simulated here or not, that has the components
// of the row struct V, a struct of component values. They are copies: what All
// yields is for looking, for collisions and queries, on both sides alike.
func All[V any](w *World) iter.Seq2[Entity, V] {
	return func(yield func(Entity, V) bool) { walkValues(w, yield) }
}

func walkValues[V any](w *World, yield func(Entity, V) bool) {
	r := rowOf[V](w, formValues)
	base := len(w.runs)
	w.collect(r, false)
	version := w.version
	for _, run := range w.runs[base:] {
		var row V
		p := unsafe.Pointer(&row)
		for i, e := range w.entities(run.t) {
			r.load(p, run.t, i)
			if r.entity >= 0 {
				*(*Entity)(unsafe.Add(p, r.entity)) = e
			}
			if !yield(e, row) {
				w.runs = w.runs[:base]
				return
			}
			if w.version != version {
				panicMoved()
			}
		}
	}
	w.runs = w.runs[:base]
}

// Chunks is the fast form of [Each]: it yields whole columns, as a struct of
// slices of equal length. Optional components give a nil slice where absent.
func Chunks[C any](w *World) iter.Seq[C] {
	return func(yield func(C) bool) {
		r := rowOf[C](w, formSlices)
		base := len(w.runs)
		w.collect(r, true)
		version := w.version
		for _, run := range w.runs[base:] {
			var chunk C
			p := unsafe.Pointer(&chunk)
			r.slices(p, run.t, run.start, run.n)
			if r.entity >= 0 {
				*(*[]Entity)(unsafe.Add(p, r.entity)) = w.entities(run.t)[run.start : run.start+run.n]
			}
			if !yield(chunk) {
				break
			}
			if w.version != version {
				panicMoved()
			}
		}
		w.runs = w.runs[:base]
	}
}

// EachInOrder is [Each] in order of NetID, for interactions whose result
// depends on who comes first; entities without a NetID are left out. It sorts
// at every call.
func EachInOrder[R any](w *World) iter.Seq2[Entity, R] {
	return func(yield func(Entity, R) bool) {
		r := rowOf[R](w, formPointers)
		base := len(w.runs)
		w.collect(r, true)
		type place struct {
			id  components.NetID
			t   *table
			row int
		}
		var places []place
		for _, run := range w.runs[base:] {
			ids := run.t.cols[w.protocol.netIDC.index]
			if ids == nil {
				continue
			}
			for i := run.start; i < run.start+run.n; i++ {
				places = append(places, place{unsafe.Slice((*components.NetID)(ids), run.t.n)[i], run.t, i})
			}
		}
		w.runs = w.runs[:base]
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.id, b.id) })
		version := w.version
		for _, at := range places {
			var row R
			p := unsafe.Pointer(&row)
			r.aim(p, at.t, at.row)
			e := w.entities(at.t)[at.row]
			if r.entity >= 0 {
				*(*Entity)(unsafe.Add(p, r.entity)) = e
			}
			if !yield(e, row) {
				return
			}
			if w.version != version {
				panicMoved()
			}
		}
	}
}

// collect appends to w.runs the stretches of rows that a walk of r visits.
func (w *World) collect(r *row, scoped bool) {
	narrowed := scoped && (w.only != 0 || len(w.held) > 0)
	for _, t := range r.tables {
		if scoped && !w.simulates(t) {
			continue
		}
		w.refresh(t)
		switch {
		case t.n == 0:
		case narrowed:
			w.collectOwners(t)
		default:
			w.runs = append(w.runs, run{t, 0, t.n})
		}
	}
}

// collectOwners is collect for a table while the scope leaves owners out.
func (w *World) collectOwners(t *table) {
	col := t.cols[w.protocol.ownerC.index]
	if col == nil {
		if w.only == 0 {
			w.runs = append(w.runs, run{t, 0, t.n})
		}
		return
	}
	owners := unsafe.Slice((*components.Owner)(col), t.n)
	start := -1
	for i, o := range owners {
		switch in := w.inScope(o.Client); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			w.runs = append(w.runs, run{t, start, i - start})
			start = -1
		}
	}
	if start >= 0 {
		w.runs = append(w.runs, run{t, start, t.n - start})
	}
}

func panicMoved() {
	panic("ecs: the world changed structure during a walk: collect the entities first and change them after, or do it inside a system, where Spawn, Despawn, Add and Remove wait for the end of the stage")
}
