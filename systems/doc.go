// Package systems is the netcode: six systems that run in a world's schedule,
// with Receive and Send around them, and the server and client that hold them
// together.
//
// A server's step and a client's step, by stages:
//
//	server  Before { Receive }            OnTick { ServerApply, Simulate, Authority }      After { Snapshot, Send }
//	client  Before { Receive, Reconcile } OnTick { InputGather, Predict (runs Simulate) }  After { Send }  Render { Interpolate }
//
// Tasks:
//
//   - Start from a whole match in a few lines: the package example.
//   - Serve a game: [Serve], or [NewServer] and [Server.Run]; [ServerConfig] says what joins and leaves do.
//   - Play on a server: [Dial] and [Client.Run]; [Gather] turns a typed function into the source of inputs.
//   - Draw: [Client.View] is a world to read with ecs.All; own entities as predicted, all others interpolated.
//   - Choose when the server consumes inputs: [Timing].
//   - Change the schedule, or leave a system out: ServerConfig.Schedule and ClientConfig.Schedule; print it
//     with [Server.Schedule] and [Client.Schedule].
//   - Drive a peer in virtual time: [Server.Advance], [Client.Advance], [Client.Frame], on a wire of
//     netsys.Network.
//   - Bound what a client is sent, and say what matters most to it: ServerConfig.Budget, [Server.SetBudget],
//     ServerConfig.Priority.
//   - Say what a client may know: ServerConfig.Visible; components that are for the owner alone are registered
//     with ecs.OwnerOnly.
//   - Learn when a client has joined, and why an entity is not there: ClientConfig.Loaded, [Client.Loaded],
//     [Client.Presence], [Client.StateTick].
//   - See what snapshots are made of, by component, field and entity: [Server.Traffic], [Server.TopEntities].
//   - Make snapshots smaller with what codec/train learned of the game: ServerConfig.Record, then
//     ServerConfig.Trained and ClientConfig.Trained, with [LoadTrained].
//   - See what happens: [Server.Stats], [Server.Clients], [Client.Stats], ClientConfig.OnMismatch.
//   - Test a game: package systemstest.
//
// # What each system does
//
// InputGather asks the game for the input of the coming tick and numbers it.
// Predict applies it to the client's own entities at once. Send ships it,
// together with those before it that may not have arrived. ServerApply puts
// inputs in order and lets each tick consume one per client; Simulate runs.
// Snapshot captures the world at each send, in groups of 64 entities, and tells
// every client what has changed since states that this client has acknowledged;
// what was encoded for one client serves all others that hold the same. Reconcile compares the server's
// state after input s with what was predicted after s, and where they differ
// takes the server's and simulates the inputs since again. Interpolate draws
// all other entities a little in the past, between two confirmed states.
//
// The server never goes back: a completed tick is not simulated again,
// whatever arrives late. What a client re-simulates is its own entities only,
// at most the round trip plus the buffer's depth plus one tick, and nothing
// while its predictions are right.
package systems
