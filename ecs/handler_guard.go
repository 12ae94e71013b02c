package ecs

import (
	"fmt"
	"unsafe"
)

// handlerGuard keeps handlers of a game from writing a world that is simulated again. They run outside the ticks, so no
// replay repeats what they wrote: it would be lost, or make peers differ. The guard refuses calls that change the world, or
// hand out pointers to much of it, at once (refuseWrite). It keeps a copy of a component that is handed out alone
// (copyComponent), and compares the two when the handler is done.
//
// It also keeps functions of [Rows] from using the world at all (refuseRead), because several goroutines walk the rows.
//
// The zero handlerGuard is ready; it keeps its memory.
type handlerGuard struct {
	handler string // the one that runs; empty: none
	inRows  bool   // rows are walked
	copies  []componentCopy
	values  arena
}

// componentCopy is a component that a handler was given, and a copy of it as it was then.
type componentCopy struct {
	at, was   unsafe.Pointer
	component *Component
}

// run runs a handler, also within another one. It panics with advice if the handler wrote the world. handler is what the
// advice calls it, such as "the handler of event Say".
func (g *handlerGuard) run(handler string, run func()) {
	outer, base := g.handler, len(g.copies)
	defer g.endHandler(outer, base) // by a panic of the handler too
	g.handler = handler
	run()
	for _, k := range g.copies[base:] {
		typ := &k.component.values
		if l := typ.unequal(k.was, k.at); l != nil {
			panic(g.writeError(fmt.Sprintf("%s.%s was %s and is %s after", k.component.Name, typ.path(l), l.text(k.was), l.text(k.at))))
		}
	}
}

// endHandler ends run.
func (g *handlerGuard) endHandler(outer string, base int) {
	g.handler = outer
	clear(g.copies[base:])
	if g.copies = g.copies[:base]; base == 0 {
		g.values.reset()
	}
}

// refuseWrite panics with advice while a handler runs or rows are walked. call is what must not be called then.
func (g *handlerGuard) refuseWrite(call string) {
	g.refuseRead(call)
	if g.handler != "" {
		panic(g.writeError(call + " in"))
	}
}

// startRows makes refuseRead panic until endRows.
func (g *handlerGuard) startRows() { g.inRows = true }

// endRows ends what startRows started.
func (g *handlerGuard) endRows() { g.inRows = false }

// refuseRead panics with advice while rows are walked. call is what must not be called then.
func (g *handlerGuard) refuseRead(call string) {
	if g.inRows {
		panic(rowsError(call))
	}
}

// rowsError says why a function of [Rows] must not make a call, and what to write instead.
func rowsError(call string) string {
	return fmt.Sprintf("ecs: %s in a function of ecs.Rows: several goroutines walk the rows, and each function sees its own row and nothing else. "+
		"What the function needs of the entity is a field of the row: a pointer to what is written, a value of what is read. "+
		"What looks at other entities, or makes and removes some, is a system of its own, with ecs.Each", call)
}

// copyComponent keeps a copy of the component at p until the handler that runs ends. Without a handler it does nothing.
func (g *handlerGuard) copyComponent(p unsafe.Pointer, c *Component) {
	if g.handler == "" {
		return
	}
	was := g.values.allocate(c.size)
	copy(unsafe.Slice((*byte)(was), c.size), unsafe.Slice((*byte)(p), c.size))
	g.copies = append(g.copies, componentCopy{p, was, c})
}

// writeError says what a handler must not do, and what to write instead.
func (g *handlerGuard) writeError(what string) string {
	return fmt.Sprintf("ecs: %s %s: ticks of this world are simulated again, here or on other peers, and no replay repeats what handlers write. "+
		"What players do to the world is an input or a command: ecs.Command, systems.CommandFor; "+
		"what rules do belongs in Simulate or Authority; to look use ecs.All, ecs.Single, or ecs.Get without writing", what, g.handler)
}
