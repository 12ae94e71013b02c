// Package ecs holds the world of a game: entities with components in columns,
// the protocol that server and clients share, and the schedule that steps them.
//
//	type Position struct{ X, Y float32 `net:"-512..512 step 0.01"` }
//	type Move struct{ DX, DY int8 `net:"-1..1"` }
//	type dot struct { // a row: what a system wants to touch
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
// What to use for what:
//
//   - Define a protocol, alike on server and clients: [NewProtocol]. Compare two:
//     [Protocol.Hash], [Protocol.Lines].
//   - Register components: [Replicate], [ReplicateFields] for types without
//     tags, [Local], [Input]; with a [Mode], [Predicted], [Interpolated],
//     [OwnerOnly] or [ClientOwned]. One of a kind in the world: [Singleton], read
//     by [Single].
//   - Leave a field of a predicted component to the server: the word server of its tag, see [Predicted].
//   - Draw a component on curves in place of straight lines, or on beyond the newest
//     state: [Hermite], [Extrapolate].
//   - Let one entity carry another, so that it stands and is drawn where its carrier is: [Carry].
//   - Round to the wire's precision after every step, on both sides:
//     [Protocol.QuantizeSteps].
//   - Write a system: [Protocol.Simulate] for the rules that both sides run,
//     [Protocol.Authority] for what only the server decides.
//   - Say what happens to the world when players come and go: [Join], [Protocol.Leave]; and what they can do to it
//     that is no input: [Command]. For the
//     netcode: [Protocol.Players], [Players], [Request], [MaxRequest].
//   - Write one that says what it reads and what it writes, for a server that does it on several
//     processors: [Rows], [Step].
//   - Make a world: [NewWorld], [Config]; with workers for Rows: [Workers].
//   - Iterate: [Each] over what this peer simulates, [EachOf] over one client's
//     part of it, [All] over copies of everything visible, [Chunks] over whole
//     columns, [EachInOrder] in the same order on every peer. Rows: optional
//     fields, an [Entity] field, [With], [Without].
//   - Spawn and despawn: [Spawn] by a row struct, the fast form, [World.Spawn] by
//     a list of values, [World.Despawn], [World.Alive]. What Simulate spawns for
//     a client, that client predicts: [SpawnKey].
//   - One entity's components: [Get], [Has], [Add], [Remove].
//   - Names on the wire: [World.NetID], [World.ByNetID].
//   - Random numbers that both sides draw alike: [World.Rand].
//   - Time: [World.Tick], [World.Step]. What is not per entity: [SetResource],
//     [Resource].
//   - Hang on entities what a game shows of them, such as sprites, so that it ends with
//     them, mispredicted ones included: [Attachments].
//   - Schedule: [Stage], [Schedule]; change one with [Schedule.Wrap],
//     [Schedule.WrapAll], [Schedule.Remove], [Schedule.InsertBefore], [Schedule.InsertAfter]; print
//     it with [Schedule.String].
//   - Step at a fixed rate: [Loop]. Look at a part of a step: [Netcode.BeginPartial],
//     [Netcode.EndPartial]; know that it is one: [World.Partial].
//   - Go back in time: [WorldHistory] brings back all of a world, [History] the
//     values of what a client predicts. Look back and leave the world alone:
//     [WorldHistory.At], [Past], [AllAt], [GetAt]. Give all of it to another peer:
//     [WorldHistory.AppendState], [Netcode.ReadState].
//   - Compare states: [World.Hash]; by component, [World.HashOf] with
//     [Protocol.Components]; by field, [World.HashFields]; after each system,
//     [World.Trace]. Name the entity, component and field in which two states
//     differ: [Differs], [WorldHistory.Differs].
//   - Find systems that depend on storage order or on more than the world:
//     [World.ForceRollback]. For a checker of one's own: [World.Shuffle] between
//     [WorldHistory.Restore] and [WorldHistory.Differs].
//   - For the netcode: [Netcode.Tables], [Netcode.Replica], [Netcode.Discard],
//     [Netcode.Pointer], [Netcode.Mask], [Netcode.SetTick], [Netcode.SetInputSequence], [Netcode.ForgetInputs],
//     [Netcode.SkipOwner], [Netcode.SkipNobody], [Netcode.SimulateOnly],
//     [Netcode.SimulateStage]. For spawns and despawns that a client predicts:
//     [Netcode.BeginReplay], [Netcode.EndReplay], [Netcode.Confirm], [Netcode.Revive],
//     [Netcode.SettleInput], [Netcode.RejectSpawns], [Netcode.Simulated], [Netcode.Suspended], [Netcode.PlacePredicted],
//     [World.PendingPredictions].
//
// # What holds
//
// While a system runs, structure stands still: Spawn, Despawn, Add and Remove
// take effect at the end of its stage, in the order of the calls, and a nested
// stage ends before the one around it. Outside systems they take effect at once,
// and a walk that is under way then panics.
//
// Components hold no pointers at any depth, up to 64 replicated ones and 240 in
// all. Pointers into columns are good for one iteration, or until the next
// structural change.
//
// Storage order differs between peers. A system that runs on both sides depends
// on no order but that of EachInOrder, on no clock, no map iteration and no
// random numbers but those of Rand.
//
// A world belongs to one goroutine, which has others work for it while Rows walks; a protocol,
// once in use, belongs to any number.
// Ticks, walks, captures and hashes allocate nothing in steady state, nor do
// spawns, despawns and other changes of structure, once there was room for as
// many.
//
// # What it costs
//
// go run ./internal/bench/ecs measures it beside slices, copy and arche. Each
// takes less than twice the time of a loop over slices, best for rows of up to
// three components; Chunks takes no more than the loop, and Rows without workers up to a third more than Each. All copies, EachInOrder
// sorts: they are for what needs them.
package ecs
