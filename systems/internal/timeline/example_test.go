package timeline_test

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// An input that arrives three ticks late changes the ticks that were simulated without it.
func Example() {
	type Position struct {
		X int32 `net:"raw"`
	}
	type Move struct {
		DX int8 `net:"-1..1"`
	}
	type walker struct {
		Pos *Position
		In  *Move
	}
	p := ecs.NewProtocol("walkers/1")
	ecs.Replicate[Position](p, 0)
	ecs.Input[Move](p)
	ecs.Join(p, func(w *ecs.World, player uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: player}, Position{}, Move{})
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[walker](w) {
			r.Pos.X += int32(r.In.DX)
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	t := timeline.New(w, timeline.Config{})
	if err := t.Join(1, t.Next(), t.Next(), ""); err != nil {
		fmt.Println(err)
	}
	position := func() int32 {
		for _, r := range ecs.All[struct{ Pos Position }](w) {
			return r.Pos.X
		}
		return 0
	}

	for range 5 {
		t.Step()
	}
	fmt.Println("without the input:", position())

	words := make([]int32, p.Input().Schema.Words)
	p.Input().Schema.Quantize(words, len(words), unsafe.Pointer(&Move{DX: 1}), 1)
	fmt.Println(t.Put(1, 2, words))
	t.Step()
	fmt.Printf("with it: %d, %d ticks simulated again\n", position(), t.Stats().Last)
	// Output:
	// without the input: 0
	// rewrote
	// with it: 4, 3 ticks simulated again
}
