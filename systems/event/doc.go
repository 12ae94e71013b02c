// Package event sends one-time events, such as a chat line, an opened door or a trade request: remote procedure calls without
// an answer. An event is a struct that is registered once, raised on one peer and handled on others. It can be raised in
// Simulate or anywhere else. Lasting facts are state and belong in components; an event is the news of the change.
//
// # Index of tasks
//
// For a game:
//
//   - Register types, the same on server and clients: [NewRegistry], [Register], [Options], [Side].
//   - Raise an event: [Raise]. Choose the receivers: [ToServer], [ToOwner], [ToViewers], [ToAll], [ToClient].
//   - Create both ends, before the worlds exist: [NewServer], [NewClient].
//   - Accept and handle events of clients on the server: [OnServer], [Handlers], [Sender].
//   - Handle events of the server on a client: [OnClient], [Origin].
//   - Limit the events of a client: Rate and Burst of [Options]. Inform the client: Tell, [Refusal].
//   - Send plain messages on the same channels: [Registry.Messages].
//   - Read counters: [Stats].
//
// For the netcode that steps a world:
//
//   - Connect worlds and channels: [Server.Attach], [Hooks], [Client.Join].
//   - Compare registries in the handshake: [Registry.Lines].
//   - Add and remove clients: [Server.Join], [Server.Leave], [Client.Leave]. Handle outages: [Server.Suspend], [Client.Resume].
//   - Receive messages: [Server.Receive], [Client.Receive]. Handle the events that are due: [Client.Deliver].
//   - Step: Rewind, Start, Done, and [Server.Settle] or [Client.Settle], see below.
//
// # Calls around a tick
//
// A model calls Start and Done around each run of Simulate, the first run of a tick and each later one:
//
//	events.Start(tick)
//	w.Netcode().SimulateStage().Run(w)
//	events.Done()
//
// Before it simulates a tick again, it calls events.Rewind(tick). At the end of each step, before packets are sent, it calls
// events.Settle(horizon). The horizon is the first tick that may still be simulated again. A server counts ticks. A client
// counts input sequences, because the tick of an input can shift. Package outcome has the same calls, at the same places and
// with the same horizon.
//
// # Events of re-simulated ticks
//
// A tick can be simulated again with other inputs or other state, but each event is sent once. Two events of the same tick are
// the same event if their type and target are equal. Events with equal values match first, the others match in the order of
// the calls. Example: a tick raised one shot and now raises one shot with another aim. This is the shot that was sent, and it
// stays as it was sent. If the tick now raises two shots, one more is sent. Targets compare by SpawnKey or NetID. [Stats]
// counts the differences as Changed and Unfounded.
//
// A sent event cannot be recalled. A client sends an event to the server as soon as its prediction raises it, even if a replay
// does not raise it again. The server checks it in Validate and Handle, against its own world. A game has three choices:
//
//   - Send at once, the default: the shortest delay, but the event can be unfounded. Good for requests and orders.
//   - Set Options.Final: the event is sent when no rewrite can reach its tick, so it is exactly what the last simulation raised.
//     On a server that only goes forward this is the same step. On a client it is one round trip later.
//   - Use package outcome: the outcome is shown at once on the peer that predicted it, and withdrawn if it did not happen.
//
// # Order and time
//
// An event arrives exactly once on a reliable channel, and at most once on an unreliable one. On an ordered channel events
// arrive in the order of the calls of Raise; for Final events the order of Settle counts.
//
// A client handles an event of tick t when its confirmed state includes tick t, in the order of ticks. So the door is open
// when the client reads the news. [Client.Deliver] says what holds if a state is incomplete. Events with Options.Early do not
// wait, and overtake the others. A server handles events when
// they arrive, before the next tick.
//
// # Outages
//
// While the server keeps the place of a client that is away, it stores reliable events for that client: up to
// ServerConfig.Limit events and 64 KiB. When the client is back, the server sends each of them once. If the Sees hook needs a
// session, only the owner's events to viewers are stored. Events that a client raises while it has no session are dropped.
//
// # Guarantees
//
//   - A handler runs once for an event, outside of Simulate. No replay repeats its effects. Under models that re-simulate (on a
//     server under ServerRewind; on every peer under Rollback and Lockstep) a handler may read the world with ecs.All,
//     ecs.Single and ecs.Get, but not write it: Spawn, Despawn, Add, Remove and Each panic with advice, and so does a
//     changed value behind a pointer of ecs.Get. Use an input or a command for actions of players, and Simulate or Authority
//     for rules. Under LocalSync, Buffered and CorrectOnMismatch, handlers of the server may write the world.
//   - A client can trigger Rate events a second of each type, after Burst at once. Further events are counted and dropped before
//     they are decoded, and this is logged once.
//   - Clients receive only events that they may know: an event to viewers goes to clients that see the entity.
//   - Memory is bounded by Limit at the sender, and by Waiting and WaitingBytes at a client. Once the buffers have grown to the
//     traffic, nothing allocates.
//   - Malformed bytes are an error and reach no handler.
//   - The same calls produce the same bytes.
package event
