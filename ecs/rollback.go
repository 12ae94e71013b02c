package ecs

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// check is what watches the rules at work.
type check struct {
	rollback *forcedRollback // nil unless asked for
	trace    func(system string)
	handlers handlerGuard // of the game, and functions of Rows
	words    []int32      // scratch of quantize
}

// Divergence is what forced rollback found: simulating a tick again gave
// another result.
type Divergence struct {
	Tick      uint32
	System    string // the first after which the two results differ
	NetID     components.NetID
	Entity    Entity
	Component string
	Field     string
	First     string // the value as simulated first, as text
	Again     string // the value as simulated again
}

// String is the divergence in a line.
func (d Divergence) String() string {
	return fmt.Sprintf("tick %d: after system %q, %s.%s of entity %d is %s, and %s when the tick is simulated again in another storage order",
		d.Tick, d.System, d.Component, d.Field, d.NetID, d.First, d.Again)
}

// ForceRollback makes every run of Simulate a test of itself: the world runs it,
// rolls back, shuffles the storage order and runs it again, comparing after each
// system. What differs is told to report, at most once a run: the system drew
// from a generator that goes on, read a clock, kept state outside the world, or
// depends on the order of its rows (see [EachInOrder]). The second result
// stands. It costs many times the simulation; a nil report ends it.
func (w *World) ForceRollback(report func(Divergence)) {
	if report == nil {
		w.check.rollback = nil
		return
	}
	w.check.rollback = &forcedRollback{w: w, report: report}
}

type forcedRollback struct {
	w      *World
	report func(Divergence)
	saved  *History // place 0: before; place i: after the i-th system
	runs   uint64
}

// run simulates twice in place of once.
func (f *forcedRollback) run(s *Stage) {
	w := f.w
	if f.saved == nil || f.saved.Len() != len(s.items)+1 {
		f.saved = &History{newRing(w, len(s.items)+1, false, func(c *Component) bool {
			return c != w.setup.protocol.core.self && c != w.setup.protocol.core.netID
		})}
	}
	base, net := len(w.deferred.commands), w.handles.nextNet
	f.saved.Capture(0)
	for i := range s.items {
		s.items[i].run(w)
		f.saved.Capture(uint32(i + 1))
	}
	w.unask(base)
	w.handles.nextNet = net
	f.saved.Restore(0)
	f.runs++
	w.shuffle(f.runs)
	told := false
	for i := range s.items {
		s.step(w, i)
		if d, ok := f.compare(uint32(i + 1)); ok && !told {
			told = true
			d.System = s.items[i].name()
			f.report(d)
		}
	}
}

// unask takes back the structural changes asked for since base.
func (w *World) unask(base int) {
	batch := w.deferred.commands[base:]
	for i := len(batch) - 1; i >= 0; i-- {
		c := &batch[i]
		s := w.handles.at(c.entity)
		switch {
		case s == nil:
		case c.op == opSpawn || c.op == opCancelled:
			w.predicted.unspawn(c, s)
		default:
			s.last = c.before
		}
	}
	clear(batch)
	w.deferred.commands = w.deferred.commands[:base]
}

// compare finds the first value that is not what the capture holds.
func (f *forcedRollback) compare(key uint32) (d Divergence, differs bool) {
	w, h := f.w, f.saved
	tables := h.place(key).tables
	for i := range tables {
		tc := &tables[i]
		for r, e := range tc.entities[:tc.n] {
			s := w.handles.at(e)
			if s == nil || s.table == nil {
				continue
			}
			for k, comp := range h.comps {
				if !tc.t.mask.has(comp.index) {
					continue
				}
				was := unsafe.Add(tc.columns[k].base(), uintptr(r)*comp.size)
				is := w.pointer(s, comp)
				if is == nil || bytes.Equal(unsafe.Slice((*byte)(was), comp.size), unsafe.Slice((*byte)(is), comp.size)) {
					continue
				}
				if l := comp.values.unequal(was, is); l != nil {
					return Divergence{Tick: w.clock.tick, NetID: s.netID, Entity: e, Component: comp.Name, Field: l.path, First: l.text(was), Again: l.text(is)}, true
				}
			}
		}
	}
	return d, false
}

// Shuffle puts the entities of each archetype into another storage order, which
// follows from seed. Values, handles and NetIDs stay, and so must every result
// of the game: a test that shuffles finds systems that depend on the order. It
// panics while a system runs.
func (w *World) Shuffle(seed uint64) {
	if w.deferred.depth > 0 {
		panic("ecs: Shuffle while a system runs; call it between stages")
	}
	w.shuffle(seed)
}

func (w *World) shuffle(seed uint64) {
	r := Rand{key: mix64(seed)}
	var order []Entity
	for _, t := range w.storage.tables[:len(w.storage.tables):len(w.storage.tables)] {
		w.storage.refresh(t)
		order = append(order[:0], w.entities(t)...)
		for i := len(order) - 1; i > 0; i-- {
			k := r.IntN(i + 1)
			order[i], order[k] = order[k], order[i]
		}
		// What leaves a table and comes back stands at its end. The way leads
		// through a table that differs by a marker without fields.
		m := t.mask
		m[w.setup.protocol.core.interpolated.index>>6] ^= 1 << (w.setup.protocol.core.interpolated.index & 63)
		for _, e := range order {
			s := w.handles.at(e)
			w.move(s, m)
			w.move(s, t.mask)
		}
	}
}

// Trace has f called after each system of every Simulate, with the system's name,
// until it is called with nil. Structural changes that the systems asked for are
// carried out later. It is for peers that compare hashes system by system, to find
// the first that makes their worlds differ.
func (w *World) Trace(f func(system string)) { w.check.trace = f }
