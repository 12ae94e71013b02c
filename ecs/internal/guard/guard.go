package guard

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs/internal/memory"
	"github.com/tactusgo/tactus/ecs/internal/values"
)

// Guard refuses what handlers of a game do to a world that is simulated again. They run outside
// the ticks, so no replay repeats what they wrote: it would be lost, or make peers differ.
// Calls that change the world, or hand out pointers to much of it, are refused at once
// ([Guard.Refuse]). Of a value that is handed out alone a copy is kept ([Guard.Keep]), and
// compared when the handler is done. While rows are walked, whose functions have no world, it
// refuses those a look, too ([Guard.Shut], [Guard.Look]). The zero Guard is ready; it keeps its memory.
type Guard struct {
	handler string // that runs; empty: none
	shut    bool   // rows are walked, whose functions have no world
	kept    []kept
	values  memory.Arena
}

// kept is a value that a handler was given.
type kept struct {
	at, was unsafe.Pointer
	typ     *values.Type
	name    string // of the component
}

// Run runs a handler, guarded: one that runs within another, too. It panics with advice where
// the handler wrote the world; handler is what the advice calls it, "the handler of event Say".
func (g *Guard) Run(handler string, run func()) {
	outer, base := g.handler, len(g.kept)
	defer g.leave(outer, base) // by a panic of the handler too
	g.handler = handler
	run()
	for _, k := range g.kept[base:] {
		if l := k.typ.Unequal(k.was, k.at); l != nil {
			panic(g.complaint(fmt.Sprintf("%s.%s was %s and is %s after", k.name, k.typ.Path(l), l.Text(k.was), l.Text(k.at))))
		}
	}
}

// leave ends the guard of a handler.
func (g *Guard) leave(outer string, base int) {
	g.handler = outer
	clear(g.kept[base:])
	if g.kept = g.kept[:base]; base == 0 {
		g.values.Reset()
	}
}

// On reports whether a handler runs.
func (g *Guard) On() bool { return g.handler != "" }

// Refuse panics with advice while a handler runs, or the world is shut; call is what must not be
// called then.
func (g *Guard) Refuse(call string) {
	g.Look(call)
	if g.On() {
		panic(g.complaint(call + " in"))
	}
}

// Shut closes the world, while rows are walked, to those who look, too.
func (g *Guard) Shut() { g.shut = true }

// Open ends what Shut began.
func (g *Guard) Open() { g.shut = false }

// Look panics with advice while the world is shut; call is what must not be called then.
func (g *Guard) Look(call string) {
	if g.shut {
		panic(shutFor(call))
	}
}

// shutFor is why, and what to write instead.
func shutFor(call string) string {
	return fmt.Sprintf("ecs: %s in a function of ecs.Rows: several goroutines walk the rows, and each function sees its own row and nothing else. "+
		"What the function needs of the entity is a field of the row: a pointer to what is written, a value of what is read. "+
		"What looks at other entities, or makes and removes some, is a system of its own, with ecs.Each", call)
}

// Keep keeps a copy of the component at p, for the end of the handler that runs.
func (g *Guard) Keep(p unsafe.Pointer, size uintptr, typ *values.Type, name string) {
	was := g.values.Take(size)
	copy(unsafe.Slice((*byte)(was), size), unsafe.Slice((*byte)(p), size))
	g.kept = append(g.kept, kept{p, was, typ, name})
}

// complaint is what is wrong, and what to write instead.
func (g *Guard) complaint(what string) string {
	return fmt.Sprintf("ecs: %s %s: ticks of this world are simulated again, here or on other peers, and no replay repeats what handlers write. "+
		"What players do to the world is an input or a command: ecs.Command, systems.CommandFor; "+
		"what rules do belongs in Simulate or Authority; to look use ecs.All, ecs.Single, or ecs.Get without writing", what, g.handler)
}
