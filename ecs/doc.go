// Package ecs provides the world of a game: entities with components in columns, the protocol that server and clients
// share, and the schedule that steps the world.
//
//	type Position struct{ X, Y float32 `net:"-512..512 step 0.01"` }
//	type Move struct{ DX, DY int8 `net:"-1..1"` }
//	type dot struct { // a row: the components that a system uses
//		Pos *Position
//		In  *Move
//	}
//
//	p := ecs.NewProtocol("dots/1")
//	ecs.Replicate[Position](p, ecs.Predicted|ecs.Interpolated)
//	ecs.Input[Move](p)
//	p.Simulate("move", func(w *ecs.World) {
//		for _, d := range ecs.Each[dot](w) {
//			d.Pos.X += float32(d.In.DX)
//			d.Pos.Y += float32(d.In.DY)
//		}
//	})
//
// # Index of tasks
//
// Define a protocol, the same on server and clients:
//
//   - Create it: [NewProtocol]. Compare two: [Protocol.Hash], [Protocol.Lines].
//   - Register components: [Replicate], [ReplicateFields] for types without tags, [Local], [Input]. A [Mode] says how a
//     component is used: [Predicted], [Interpolated], [OwnerOnly]. Register a value that the world has once:
//     [Singleton], read by [Single].
//   - Let the server alone decide one field of a predicted component: the tag word server, see [Predicted].
//   - Draw a component on curves instead of straight lines, or beyond the newest state: [Hermite], [Extrapolate].
//   - Attach one entity to another, in the simulation and in the view: [Carry].
//   - Round components to their encoded precision after every step, on both sides: [Protocol.QuantizeSteps].
//   - Add rules that both sides run: [Protocol.Simulate]. Add rules for the server only: [Protocol.Authority].
//   - React to players who join and leave: [Join], [Protocol.Leave]. Accept requests that are not inputs: [Command].
//   - Declare which components a system reads and writes, so that a server runs it on several processors: [Rows], [Step].
//
// Use a world:
//
//   - Create it: [NewWorld], [Config]. Give it workers for Rows: [Workers].
//   - Iterate: [Each] over entities that this peer simulates, [EachOf] over those of one client, [All] over copies of all
//     visible entities, [EachInOrder] in the same order on every peer. A row struct can have optional fields, an [Entity]
//     field, [With] and [Without].
//   - Spawn and despawn: [Spawn] with a row struct, which is the fast form, [World.Spawn] with a list of values,
//     [World.Despawn], [World.Alive]. If Simulate spawns for a client, this client predicts the spawn: [SpawnKey].
//   - Access the components of one entity: [Get], [Has], [Add], [Remove].
//   - Convert between entities and network ids: [World.NetID], [World.ByNetID].
//   - Draw random numbers that are equal on both sides: [World.Rand].
//   - Read the time: [World.Tick], [World.Step]. Store values that belong to no entity: [SetResource], [Resource].
//   - Attach sprites or sounds to entities, so that they end with them, mispredicted entities included: [Attachments].
//   - Change or print the schedule: [Stage], [Schedule], [Schedule.Wrap], [Schedule.WrapAll], [Schedule.Remove],
//     [Schedule.InsertBefore], [Schedule.InsertAfter], [Schedule.String].
//   - Step at a fixed rate: [Loop].
//
// Go back in time and compare:
//
//   - Restore a whole world: [WorldHistory]. Restore the values that a client predicts: [History].
//   - Read an earlier state without changing the world: [WorldHistory.At], [Past], [AllAt], [GetAt]. Send a whole state to
//     another peer: [WorldHistory.AppendState], [Netcode.ReadState].
//   - Save a world and load it in another version of its protocol: [Netcode.Save], [Netcode.Load], which describes the struct
//     tag save. A server's world: systems.Server.Save.
//   - Compare states: [World.Hash]; by component, [World.HashOf] with [Protocol.Components]; by field, [World.HashFields];
//     after each system, [World.Trace]. Print the entity, component and field in which two states differ: [Differs],
//     [WorldHistory.Differs].
//   - Find systems that depend on storage order or on data outside of the world: [World.ForceRollback]. Write your own
//     checker: [World.Shuffle] between [WorldHistory.Restore] and [WorldHistory.Differs].
//
// [Netcode] has the functions that only netcode systems need: tables and replicas, predicted spawns, partial steps
// ([Netcode.BeginPartial], [World.Partial]) and the list of players ([Protocol.Players], [Players], [Request], [MaxRequest]).
//
// # Rules
//
// While a system runs, the structure of the world does not change: Spawn, Despawn, Add and Remove take effect at the end of
// the system's stage, in the order of the calls. A nested stage ends before the outer one. Outside of systems they take effect
// at once, and an iteration that is still running then panics.
//
// Components contain no pointers at any depth. A protocol has up to 64 replicated components and 240 in total. A pointer into
// a column is valid for one iteration, or until the next structural change.
//
// Storage order differs between peers. A system that runs on both sides must not depend on any order except that of
// EachInOrder, on a clock, on map iteration, or on random numbers except those of Rand.
//
// A world belongs to one goroutine; Rows lets others work while that goroutine waits. A protocol can be shared by any number
// of goroutines once it is in use. Ticks, iterations, captures and hashes allocate nothing in steady state. Structural changes
// allocate nothing once the world has had room for as many entities.
//
// # Cost
//
// go run ./internal/bench/ecs compares with slices, copy and arche. Each takes less than twice the time of a loop over slices
// and is best for rows of up to three components. Rows without workers takes up to a third longer than Each. All copies and EachInOrder sorts: use them only where you need this.
package ecs
