package ecs

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

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
			return c != w.setup.protocol.selfC && c != w.setup.protocol.netIDC
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
		s := w.at(c.entity)
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
			s := w.at(e)
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
				if l := comp.unequal(was, is); l != nil {
					return Divergence{Tick: w.clock.tick, NetID: s.netID, Entity: e, Component: comp.Name, Field: l.path, First: l.text(was), Again: l.text(is)}, true
				}
			}
		}
	}
	return d, false
}
