package ecs

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Workers runs work on several goroutines, see [Config.Workers].
type Workers interface {
	// Workers returns the number of workers, including the caller: at least 1. It never changes.
	Workers() int
	// Each calls do once for each piece 0 to n−1 and returns when all calls have returned. worker is 0 to Workers−1, and
	// each worker runs one piece at a time. If do panics, Each panics.
	Each(n int, do func(worker, piece int))
}

// Rows returns a system that declares the components that it reads and writes, so that a server can run it on several
// processors ([Config.Workers]). The row struct R has pointers to the components that f writes, and values of the
// components that it only reads:
//
//	type walker struct {
//		Pos *Position // written
//		In  Move      // read: a copy
//		Hat *Hat `ecs:"optional"` // nil when absent; an optional value is then zero
//	}
//	p.Simulate("walk", ecs.Rows(func(d walker, s ecs.Step) {
//		d.Pos.X += float32(d.In.DX) * s.Seconds
//	}))
//
// Use it with [Protocol.Simulate] and [Protocol.Authority]. It calls f for each row that [Each] would yield, in any order
// and concurrently. f may use only its row and data that never changes. The results, and [World.Hash], do not depend on the
// number of workers. A field of type [Entity] is the entity of the row; [With] and [Without] work as in other rows.
//
// In f, Spawn, Despawn, [Add], [Remove], [Get], [Has] and iterations panic: write a separate system for them. If f writes
// variables outside of its row, this is a data race and makes the state of the world random.
//
// Rows panics if f is nil, or if R is not a struct, has no pointer, or has a component twice. If a component is not
// registered, the system panics at the first tick.
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

// checkRowType panics if t cannot be a row of [Rows] in any protocol: it is not a struct, writes nothing, or has a
// component twice. An [Entity] can only be read.
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
		panic(fmt.Sprintf("ecs: Rows: row %s has no pointer to a component, so its function can change nothing: use pointers for components that it writes, and values for those that it reads", t))
	}
}

// Step is the current simulation step for one row of [Rows].
type Step struct {
	// Tick is the value of [World.Tick].
	Tick uint32
	// TickRate is the number of simulation steps a second.
	TickRate int
	// Seconds is the value of [World.Step]: the length of the step, or of the part of a step that a
	// partial tick simulates.
	Seconds float32

	entity Entity
	world  *World
}

// Rand returns the random numbers of the row's entity in the running system, see [World.Rand].
func (s *Step) Rand() Rand { return s.world.Rand(s.entity) }

// crew runs the rows of one type in one world on all workers.
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
	at.reset(w, c.r, true)
	for at.nextRun() {
		c.pieces.add(at.t.index, at.start, len(at.entities))
	}
	w.check.handlers.startRows()
	defer w.check.handlers.endRows() // by a panic too
	c.pieces.run(w.setup.config.Workers, c.do)
	at.check()
}

// piece runs piece i. It reads only parts of the world that do not change meanwhile.
func (c *crew[R]) piece(_, i int) {
	var at cursor
	var row R // zero where an optional component is absent
	at.reset(c.w, c.r, false)
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
