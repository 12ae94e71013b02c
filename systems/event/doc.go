// Package event is for what happens once and is told: a chat line, a door that opens, a
// trade that a player asks for. It is a remote procedure call without an answer: a
// struct, registered once, raised on one peer and handled on others, in a system of
// Simulate or anywhere else. What lasts is state and belongs in components; an event is
// the news of it.
//
// # Index of tasks
//
// For a game:
//
//   - Register types, alike on server and clients: [NewRegistry], [Register], [Options], [Side].
//   - Raise one: [Raise]. Say for whom: [ToServer], [ToOwner], [ToViewers], [ToAll], [ToClient].
//   - Make the two ends, before there are worlds: [NewServer], [NewClient].
//   - Say what a server does about events of clients, and which it accepts: [OnServer], [Handlers], [Sender].
//   - Say what a client does about events of the server: [OnClient], [Origin].
//   - Bound what a client may send: Rate and Burst of [Options]. Let it know: Tell, [Refusal].
//   - Send plain messages on the same channels: [Registry.Messages].
//   - Count: [Stats].
//
// For the netcode that steps a world:
//
//   - Give them their world and channels: [Server.Attach], [Hooks], [Client.Join].
//   - Compare registries in the handshake: [Registry.Lines].
//   - Let peers come and go: [Server.Join], [Server.Leave], [Client.Leave]; come back: [Server.Suspend], [Client.Resume].
//   - Take in messages: [Server.Receive], [Client.Receive]; handle those whose time has come: [Client.Deliver].
//   - Step: Rewind, Start, Done, and [Server.Settle] or [Client.Settle], as below.
//
// # What a model does
//
// Around each run of Simulate, the first one of a tick and each later one:
//
//	events.Start(tick)
//	w.Netcode().SimulateStage().Run(w)
//	events.Done()
//
// Before it goes back to a tick, events.Rewind(tick). At the end of each step, before
// packets go out, events.Settle(horizon): the first tick that it may still go back to. A
// server counts ticks, a client its input sequences, since the tick of an input can shift.
// The calls are those of package outcome, at the same places and with the same horizon.
//
// # What is the same event
//
// Ticks are simulated again, with other inputs or other state, and each event goes out
// once. When a tick is simulated again, an event that it raises is one that it raised
// before if type and target are the same: first those whose values are equal find each
// other, then the others in the order of the calls. So if a tick raised one shot and now
// raises one with another aim, that is the shot which was sent, and it stands as it was
// sent; if it now raises two, one more goes out. The target counts with its entity, by
// SpawnKey or NetID. What goes wrong is counted: Changed and Unfounded in [Stats].
//
// What was sent cannot be recalled. A client sends at once what its prediction raises
// for the server, also when a replay does not raise it again: the server judges in
// Validate and Handle, against its own world. For a game there are three ways:
//
//   - At once, the default: the least delay, possibly unfounded. A request, an order.
//   - Options.Final: sent when no rewrite can reach the tick, so exactly what its last simulation raised.
//     On a server that only goes forward that is the same step; on a client, a round trip later.
//   - An outcome of package outcome: shown at once where it was predicted, and taken back when it did not happen.
//
// # Order and time
//
// Events of a type arrive once or, on an unreliable channel, at most once. On an ordered
// channel they arrive in the order in which they were sent, which is the order of the calls
// of Raise, but that Final ones count from Settle.
//
// A client handles an event of tick t when its confirmed state includes tick t, in the order
// of ticks, so that the door is open when the news is read; an ordered channel keeps its
// order then too. Options.Early types do not wait, and overtake those that do. A server
// handles events when they arrive, before the next tick.
//
// # Outages
//
// While a client is away and its place is kept, the server keeps reliable events for it, up to ServerConfig.Limit and
// 64 KiB, and sends them when it is back, each once. With a Sees hook that needs a session, an event to viewers is kept for
// the owner alone. What a client raises while it has no session is dropped.
//
// # What holds
//
//   - A handler runs once for an event, outside Simulate, and no replay repeats what it does. So where ticks are
//     simulated again it may look at the world, with ecs.All, ecs.Single and ecs.Get, and not write it: Spawn,
//     Despawn, Add, Remove, Each and Chunks panic with advice, and a value behind a pointer of ecs.Get that is
//     another one afterwards does. That is so on a server under ServerRewind, and on every peer under Rollback and
//     Lockstep. What players do to such a world is an input or a command; what rules do belongs in Simulate or
//     Authority. Under LocalSync, Buffered and CorrectOnMismatch handlers of the server may write the world.
//   - A client can make the server handle Rate events a second of each type, after Burst at once. More are
//     counted and dropped before they are read, and that is logged once.
//   - Nothing is sent to a client that it could not have: an event to viewers goes to those who see the entity.
//   - Memory is bounded by Limit at the sender, and by Waiting and WaitingBytes at a client. Once the
//     buffers have grown to the traffic, nothing allocates.
//   - Bytes that no honest peer sends are an error, and no handler hears of them.
//   - The same calls give the same bytes.
package event
