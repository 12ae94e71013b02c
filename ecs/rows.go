package ecs

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Workers does pieces of work on several goroutines at once: see [Config.Workers].
type Workers interface {
	// Workers is how many there are, at least 1, the caller among them. It does not change.
	Workers() int
	// Each calls do for each piece from 0 to n−1, once, and returns when all is done. worker is
	// from 0 to Workers−1, and no worker does two pieces at once. A panic of do is the caller's.
	Each(n int, do func(worker, piece int))
}

// Rows is a system that says what it reads and what it writes, so that a server may do it on
// several processors ([Config.Workers]). The row struct R has pointers to what is written, and
// values of what is only read:
//
//	type walker struct {
//		Pos *Position // written
//		In  Move      // read: a copy
//		Hat *Hat `ecs:"optional"` // nil when absent; a value is zero then
//	}
//	p.Simulate("walk", ecs.Rows(func(d walker, s ecs.Step) {
//		d.Pos.X += float32(d.In.DX) * s.Seconds
//	}))
//
// It serves [Protocol.Simulate] and [Protocol.Authority]. It calls f for each row that [Each] would
// yield, in any order, several at once. So f sees its row and nothing else but what never changes.
// Results, and [World.Hash], do not depend on how many workers there are. A field of type [Entity] names the row; [With] and [Without] are as in other rows.
//
// While rows are walked the world is closed: Spawn, Despawn, [Add], [Remove], [Get], [Has] and walks
// panic with advice. What needs them belongs in a system of its own. Variables outside f that it
// writes make a data race, and a world whose state depends on chance.
//
// Rows panics when f is nil, and when R is no struct, writes nothing, or names a component
// twice. As with other rows, a component that the protocol does not know panics at the first tick.
func Rows[R any](f func(row R, s Step)) func(*World) {
	if f == nil {
		panic("ecs: Rows needs a function")
	}
	checkRowType(reflect.TypeFor[R]())
	return func(w *World) {
		r := w.rowOf(reflect.TypeFor[R](), formMixed)
		c, _ := r.crew.(*crew[R])
		if c == nil {
			c = &crew[R]{w: w, r: r}
			c.do = c.piece
			r.crew = c
		}
		c.run(f)
	}
}

// checkRowType panics with advice if t cannot be a row of [Rows], in any protocol: it is no struct, writes nothing, or names
// a component twice. An [Entity] is only read.
func checkRowType(t reflect.Type) {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("ecs: Rows: a row is a struct of pointers to components and component values, not %s", t))
	}
	named, writes := make(map[reflect.Type]bool), false
	for sf := range t.Fields() {
		ct := sf.Type
		if ct.Kind() == reflect.Pointer {
			ct, writes = ct.Elem(), true
			if ct == reflect.TypeFor[Entity]() {
				panic(fmt.Sprintf("ecs: Rows: field %s.%s: an Entity is only read: write %s", t, sf.Name, ct))
			}
		}
		if named[ct] {
			panic(fmt.Sprintf("ecs: Rows: %s is in row %s twice: a pointer serves to read and to write", ct, t))
		}
		named[ct] = true
	}
	if !writes {
		panic(fmt.Sprintf("ecs: Rows: row %s has no pointer to a component, so its function can change nothing: what is written is a pointer, and what is only read a value", t))
	}
}

// Step is the step that a function of [Rows] simulates, for one row.
type Step struct {
	// Tick is what [World.Tick] is.
	Tick uint32
	// TickRate is the number of simulation steps a second.
	TickRate int
	// Seconds is the length of the step, or of the part of one that is being looked at: what
	// [World.Step] is.
	Seconds float32

	entity Entity
	world  *World
}

// Rand starts the draws of the row's entity in the running system: it is [World.Rand] of it.
func (s *Step) Rand() Rand { return s.world.Rand(s.entity) }

// crew walks rows of one type in one world.
type crew[R any] struct {
	w      *World
	r      *row
	f      func(R, Step)
	step   Step
	pieces rowPieces
	do     func(worker, i int) // is piece
}

// run calls f for all rows in scope.
func (c *crew[R]) run(f func(R, Step)) {
	w := c.w
	c.f, c.step = f, Step{Tick: w.Tick(), TickRate: w.TickRate(), Seconds: w.Step(), world: w}
	c.pieces.reset()
	var at cursor
	at.begin(w, c.r, true)
	for at.run() {
		c.pieces.add(at.t.index, at.start, len(at.entities))
	}
	w.check.handlers.startRows()
	defer w.check.handlers.endRows() // by a panic too
	c.pieces.run(w.setup.config.Workers, c.do)
	at.check()
}

// piece does the i-th piece. It reads of the world what stands still meanwhile.
func (c *crew[R]) piece(_, i int) {
	var at cursor
	var row R // zero where an optional component is absent
	at.begin(c.w, c.r, false)
	of := c.pieces.all[i]
	at.t = c.w.storage.tables[of.table]
	at.aimAt(int(of.start), int(of.n))
	f, step, p := c.f, c.step, unsafe.Pointer(&row)
	for i, e := range at.entities {
		for k := range at.aim.n {
			to := &at.aim.fields[k&(maxRowFields-1)]
			if c.r.fields[k].copied {
				move(unsafe.Add(p, to.offset), unsafe.Add(to.base, uintptr(i)*to.size), to.size)
			} else {
				*(*uintptr)(unsafe.Add(p, to.offset)) = to.at(i) // as in Each: see there
			}
		}
		step.entity = e
		f(row, step)
	}
}
