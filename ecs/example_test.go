package ecs_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type Position struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row: the components that a system uses.
type dot struct {
	Pos *Position
	In  *Move
}

// Dots returns a protocol, built alike by server and client.
func Dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[dot](w) {
			d.Pos.X += float32(d.In.DX)
			d.Pos.Y += float32(d.In.DY)
		}
	})
	return p
}

// A system whose rows a server may share among workers.
func ExampleRows() {
	p := ecs.NewProtocol("runners/1")
	ecs.Replicate[Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)

	type walker struct {
		Pos *Position // written
		In  Move      // read
	}
	p.Simulate("walk", ecs.Rows(func(d walker, s ecs.Step) {
		d.Pos.X += float32(d.In.DX) * s.Seconds
	}))

	w := ecs.NewWorld(p, ecs.Config{TickRate: 4})
	e := w.Spawn(Position{X: 10}, Move{DX: 1})
	w.Netcode().SimulateStage().Run(w)
	fmt.Println(ecs.Get[Position](w, e).X)
	// Output: 10.25
}

// A protocol and a tick.
func Example() {
	w := ecs.NewWorld(Dots(), ecs.Config{})
	e := w.Spawn(Position{X: 10}, Move{DX: 1, DY: -1}, components.Owner{Client: 1})
	for tick := range uint32(3) {
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	fmt.Println(w.NetID(e), *ecs.Get[Position](w, e))
	// Output: 1 {13 -3}
}

// On a client, Each yields the predicted entities, and All yields every entity.
func ExampleEach() {
	p := Dots()
	w := ecs.NewWorld(p, ecs.Config{Client: true})
	mask := uint64(1) << ecs.ComponentOf[Position](p).Replicated()
	own := w.Netcode().Replica(1, mask, true)  // as the netcode does for the client's own entity
	far := w.Netcode().Replica(2, mask, false) // and for somebody else's
	ecs.Get[Position](w, far).X = 7

	type mine struct{ Pos *Position }
	for e, m := range ecs.Each[mine](w) {
		m.Pos.X++ // a pointer: this is the entity
		fmt.Println("Each:", w.NetID(e), *m.Pos, e == own)
	}
	type seen struct{ Pos Position }
	for e, s := range ecs.All[seen](w) {
		s.Pos.X++ // a copy: nothing changes
		fmt.Println("All:", w.NetID(e), *ecs.Get[Position](w, e))
	}
	// Output:
	// Each: 1 {1 0} true
	// All: 1 {1 0}
	// All: 2 {7 0}
}

// Inside a system a spawn waits for the end of the stage; its handle does not.
func ExampleWorld_Spawn() {
	type all struct{ Pos Position }
	count := func(w *ecs.World) (n int) {
		for range ecs.All[all](w) {
			n++
		}
		return n
	}
	w := ecs.NewWorld(Dots(), ecs.Config{})
	var e ecs.Entity
	ecs.NewStage("Authority", ecs.System{Name: "spawn", Run: func(w *ecs.World) {
		e = w.Spawn(Position{X: 1})
		ecs.Get[Position](w, e).Y = 2
		fmt.Println("during:", count(w), "alive:", w.Alive(e))
	}}).Run(w)
	fmt.Println("after:", count(w), *ecs.Get[Position](w, e))
	// Output:
	// during: 0 alive: true
	// after: 1 {1 2}
}

// Entities that are spawned often use a row struct, which allocates nothing. All takes the same struct.
func ExampleSpawn() {
	type walker struct {
		Owner components.Owner
		Pos   Position
		In    Move
	}
	w := ecs.NewWorld(Dots(), ecs.Config{})
	for client := range uint32(2) {
		ecs.Spawn(w, walker{Owner: components.Owner{Client: 1 + client}, Pos: Position{X: 5}, In: Move{DX: 1}})
	}
	w.Netcode().SimulateStage().Run(w)
	for e, v := range ecs.All[walker](w) {
		fmt.Println(w.NetID(e), v.Owner.Client, v.Pos)
	}
	// Output:
	// 1 1 {6 0}
	// 2 2 {6 0}
}

// One client's entities, without a look at all the others.
func ExampleEachOf() {
	type walker struct {
		Owner components.Owner
		Pos   Position
	}
	type mine struct{ Pos *Position }
	w := ecs.NewWorld(Dots(), ecs.Config{})
	for i := range uint32(6) {
		ecs.Spawn(w, walker{components.Owner{Client: i % 3}, Position{X: float32(i)}})
	}
	for e, m := range ecs.EachOf[mine](w, 2) {
		fmt.Println(w.NetID(e), m.Pos.X)
	}
	// Output:
	// 3 2
	// 6 5
}

func ExampleSchedule() {
	w := ecs.NewWorld(Dots(), ecs.Config{})
	idle := func(*ecs.World) {}
	s := ecs.NewSchedule(
		ecs.NewStage("Before", ecs.System{Name: "Receive", Run: idle}),
		ecs.NewStage("OnTick", ecs.System{Name: "ServerApply", Run: idle}).Nest(w.Netcode().SimulateStage()),
		ecs.NewStage("After", ecs.System{Name: "Snapshot", Run: idle}, ecs.System{Name: "Send", Run: idle}))
	if err := s.InsertBefore("Snapshot", ecs.System{Name: "measure", Run: idle}); err != nil {
		fmt.Println(err)
	}
	fmt.Print(s)
	// Output:
	// Before
	//     Receive
	// OnTick
	//     ServerApply
	//     Simulate
	//         move
	// After
	//     measure
	//     Snapshot
	//     Send
}

// A late input means that tick 0 went otherwise: go back, simulate again. And where
// was everybody then, the dead included?
func ExampleWorldHistory() {
	type walker struct {
		Pos Position
		In  Move
	}
	w := ecs.NewWorld(Dots(), ecs.Config{})
	h := ecs.NewWorldHistory(w, 60) // a second
	e := ecs.Spawn(w, walker{})
	tick := func(t uint32, in Move) {
		w.Netcode().SetTick(t)
		*ecs.Get[Move](w, e) = in
		w.Netcode().SimulateStage().Run(w)
		h.Capture(t + 1)
	}
	h.Capture(0)
	for t := range uint32(3) {
		tick(t, Move{DX: 1})
	}
	w.Despawn(e)
	if past, err := h.At(2); err == nil {
		for e, v := range ecs.AllAt[walker](past) {
			fmt.Println("at tick 2:", past.NetID(e), v.Pos, w.Alive(e))
		}
	}
	if err := h.Restore(0); err != nil {
		fmt.Println(err) // longer ago than the ring
	}
	for t := range uint32(3) {
		tick(t, Move{DY: 1})
	}
	fmt.Println("at tick 3:", w.NetID(e), *ecs.Get[Position](w, e))
	// Output:
	// at tick 2: 1 {2 0} false
	// at tick 3: 1 {0 3}
}
