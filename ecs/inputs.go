package ecs

import "unsafe"

// GiveInputs is for the netcode, before Simulate: it makes the input of each entity
// that this peer simulates the one of its owner, which lies where of says; nil is the
// neutral one, for owners without a client. Entities without components.Owner are those
// of owner 0, the server.
//
// It is a function of the world and of, and goes by who owns what now; so whoever
// changes owners need tell nobody. of is called once for an owner in each table.
func (w *World) GiveInputs(of func(owner uint32) unsafe.Pointer) {
	for t := range w.driven {
		column := t.cols[w.protocol.input.index]
		if t.cols[w.protocol.ownerC.index] == nil {
			w.fill(column, 0, int32(t.n), w.orNeutral(of(0)))
			continue
		}
		o := w.ownersOf(t)
		w.ofOwners = w.ofOwners[:0]
		for _, at := range o.heads {
			w.ofOwners = append(w.ofOwners, w.orNeutral(of(o.runs[at-1].owner)))
		}
		for i := range o.runs {
			run := &o.runs[i]
			w.fill(column, run.start, run.end, w.ofOwners[run.nth])
		}
	}
}

// GiveInput is [World.GiveInputs] for what one client owns.
func (w *World) GiveInput(owner uint32, value unsafe.Pointer) {
	value = w.orNeutral(value)
	for t := range w.driven {
		if t.cols[w.protocol.ownerC.index] == nil {
			continue
		}
		o := w.ownersOf(t)
		for at := o.first(owner); at > 0; at = o.runs[at-1].next {
			w.fill(t.cols[w.protocol.input.index], o.runs[at-1].start, o.runs[at-1].end, value)
		}
	}
}

// driven yields each table of entities with an input that this peer simulates.
func (w *World) driven(yield func(*table) bool) {
	in := w.protocol.input
	if in == nil || in.size == 0 {
		return
	}
	for _, t := range w.tables {
		if !t.mask.has(in.index) || !w.simulates(t) {
			continue
		}
		if w.refresh(t); t.n > 0 && !yield(t) {
			return
		}
	}
}

// orNeutral is an input, or the neutral one in place of none.
func (w *World) orNeutral(value unsafe.Pointer) unsafe.Pointer {
	if value == nil {
		return unsafe.Pointer(unsafe.SliceData(w.neutral))
	}
	return value
}

// fill makes value the input of the rows from start to end, at least one.
func (w *World) fill(column unsafe.Pointer, start, end int32, value unsafe.Pointer) {
	size := w.protocol.input.size
	rows := unsafe.Slice((*byte)(unsafe.Add(column, uintptr(start)*size)), uintptr(end-start)*size)
	for n := copy(rows, unsafe.Slice((*byte)(value), size)); n < len(rows); {
		n += copy(rows[n:], rows[:n])
	}
}

// neutralInput is an input with which nothing is pressed, as a component.
func neutralInput(in *Component) []uint64 {
	if in == nil || in.size == 0 {
		return nil
	}
	value := make([]uint64, (in.size+7)/8)
	in.Schema.Snap(unsafe.Pointer(unsafe.SliceData(value)))
	return value
}
