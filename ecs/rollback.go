package ecs

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// check is the state of the debugging tools of a world.
type check struct {
	rollback *forcedRollback // nil unless asked for
	trace    func(system string)
	handlers handlerGuard // of the game, and functions of Rows
	words    []int32      // scratch of quantize
}

// Divergence is a result of forced rollback: simulating a tick again gave a different result.
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

// String returns the divergence as one line.
func (d Divergence) String() string {
	return fmt.Sprintf("tick %d: after system %q, %s.%s of entity %d is %s, and %s when the tick is simulated again in another storage order",
		d.Tick, d.System, d.Component, d.Field, d.NetID, d.First, d.Again)
}

// ForceRollback makes every run of Simulate test itself: the world runs it, rolls back, shuffles the storage order, runs it
// again, and compares after each system. It calls report at most once per run with the first difference. Likely causes are
// a system with its own random generator, a clock, state outside of the world, or a dependence on the order of rows, see
// [EachInOrder]. The result of the second run stays. It costs many times the simulation. A nil report turns it off.
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

// run simulates twice instead of once.
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
	w.discard(base)
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

// discard drops the structural changes requested since base.
func (w *World) discard(base int) {
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

// compare returns the first value that differs from the capture.
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

// Shuffle changes the storage order of the entities of each archetype, depending on seed. Values, handles and NetIDs stay.
// All results of the game must stay too: a test that shuffles finds systems that depend on the order. Shuffle panics while
// a system runs.
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
		// An entity that leaves a table and returns becomes its last row. Move
		// each entity through a table that differs by a marker without fields.
		m := t.mask
		m[w.setup.protocol.core.interpolated.index>>6] ^= 1 << (w.setup.protocol.core.interpolated.index & 63)
		for _, e := range order {
			s := w.handles.at(e)
			w.move(s, m)
			w.move(s, t.mask)
		}
	}
}

// Trace calls f with the name of each system after it ran in Simulate. A nil f turns it off. Structural changes of the
// system are applied later. Peers use it to compare hashes after each system and find the first system that makes their
// worlds differ.
func (w *World) Trace(f func(system string)) { w.check.trace = f }
