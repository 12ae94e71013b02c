package ecs

import (
	"fmt"
	"unsafe"
)

// handlerGuard prevents handlers of a game from writing to a world that simulates ticks again. Handlers run outside of
// ticks, so replays do not repeat their writes, which would be lost or make peers differ. refuseWrite panics in calls that
// change the world or return pointers to many components. copyComponent stores a copy of a component that a handler gets a
// pointer to; the guard compares both after the handler.
//
// It also prevents functions of [Rows] from using the world (refuseRead), because they run on several goroutines.
//
// The zero handlerGuard is ready to use. It keeps its memory.
type handlerGuard struct {
	handler string // the one that runs; empty: none
	inRows  bool   // rows are walked
	copies  []componentCopy
	values  arena
}

// componentCopy is a component whose pointer a handler got, with a copy of its value at that time.
type componentCopy struct {
	at, was   unsafe.Pointer
	component *Component
}

// run runs a handler, which may be nested in another one. It panics if the handler wrote to the world. handler describes it
// in the message, such as "the handler of event Say".
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

// refuseWrite panics while a handler or Rows runs. call is the forbidden call.
func (g *handlerGuard) refuseWrite(call string) {
	g.refuseRead(call)
	if g.handler != "" {
		panic(g.writeError(call + " in"))
	}
}

// startRows makes refuseRead panic until endRows.
func (g *handlerGuard) startRows() { g.inRows = true }

// endRows ends startRows.
func (g *handlerGuard) endRows() { g.inRows = false }

// refuseRead panics while Rows runs. call is the forbidden call.
func (g *handlerGuard) refuseRead(call string) {
	if g.inRows {
		panic(rowsError(call))
	}
}

// rowsError returns the message for a call that a function of [Rows] must not make, with the remedy.
func rowsError(call string) string {
	return fmt.Sprintf("ecs: %s in a function of ecs.Rows: several goroutines walk the rows, and each function sees its own row and nothing else. "+
		"What the function needs of the entity is a field of the row: a pointer to what is written, a value of what is read. "+
		"What looks at other entities, or makes and removes some, is a system of its own, with ecs.Each", call)
}

// copyComponent stores a copy of the component at p until the current handler ends. Without a handler it does nothing.
func (g *handlerGuard) copyComponent(p unsafe.Pointer, c *Component) {
	if g.handler == "" {
		return
	}
	was := g.values.allocate(c.size)
	copy(unsafe.Slice((*byte)(was), c.size), unsafe.Slice((*byte)(p), c.size))
	g.copies = append(g.copies, componentCopy{p, was, c})
}

// writeError returns the message for a forbidden write of a handler, with the remedy.
func (g *handlerGuard) writeError(what string) string {
	return fmt.Sprintf("ecs: %s %s: ticks of this world are simulated again, here or on other peers, and no replay repeats what handlers write. "+
		"What players do to the world is an input or a command: ecs.Command, systems.CommandFor; "+
		"what rules do belongs in Simulate or Authority; to look use ecs.All, ecs.Single, or ecs.Get without writing", what, g.handler)
}
