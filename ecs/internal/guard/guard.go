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
// compared when the handler is done. The zero Guard is ready; it keeps its memory.
type Guard struct {
	handler string // that runs; empty: none
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

// Refuse panics with advice while a handler runs; call is what it must not call.
func (g *Guard) Refuse(call string) {
	if g.On() {
		panic(g.complaint(call + " in"))
	}
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
