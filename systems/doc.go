// Package systems provides the server and the client of a game. Their netcode is six systems that run in the schedule of
// an ECS world: InputGather, Predict, ServerApply, Snapshot, Reconcile and Interpolate.
//
// # Index of tasks
//
// Run a game:
//
//   - See a whole match in a few lines: the package example.
//   - Run a server: [Serve], or [NewServer] and [Server.Run]. [ServerConfig] lists all settings.
//   - Run a client: [Dial] and [Client.Run]. [Gather] turns a typed function into a source of inputs.
//   - Drive a server or a client in virtual time, over netsys.Network: [Server.Advance], [Client.Advance], [Client.Frame].
//   - Write the command of a game, with flags, bots, bad links and figures: package runner. Serve a page to play on:
//     package runner/web. Write the client of this page: package runner/browser.
//   - Run many matches in one process: package rooms.
//   - Save a server and continue it in another process or version: [Server.Save], ServerConfig.Load, package save.
//   - Simulate a panic or a desync of a server again: ServerConfig.Flight, [Server.SaveFlight], [Rerun].
//   - Add cheap bots: [Thin].
//   - Test a game: package systemstest.
//   - Print or change the schedule, or remove a system: [Server.Schedule], [Client.Schedule], ServerConfig.Schedule,
//     ClientConfig.Schedule. Replace a client system by your own: [ClientSystems], [ClientParts].
//
// Draw:
//
//   - Read the entities to draw with ecs.All from [Client.View]: predicted own entities, interpolated others. See "The view".
//   - Choose how others move between two states: ecs.Hermite, ecs.Extrapolate, policy.Damping. Mark a jump:
//     components.Teleports. Attach one entity to another: ecs.Carry.
//   - Choose how corrections fade: interpolate.Smoothing. Inspect one entity of the newest frame: [Client.Drawing].
//   - Show a key press in the next frame, at any frame rate: ClientConfig.Prediction.Partial.
//   - Show the netcode on top of the game: [Confirmed], [Between], [Client.Drawing] and [Client.CountBytes]. Make the link
//     worse: netsys.Condition.
//
// Players:
//
//   - Admit players who have a token: ServerConfig.Session.Key and ClientConfig.Session.Token, with package netcode. Without both, the server
//     is in development mode and serves only this machine and virtual networks.
//   - Create and remove a player's entities: [ecs.Join] and [ecs.Protocol.Leave].
//   - Request a name or a team: ClientConfig.Login. Check the request: ServerConfig.Players.Login, with [Login].
//   - Observe joins and leaves, and reject clients by token: ServerConfig.Players.Admission.
//   - Keep a player's entities during a crash or an outage: ServerConfig.Players.ReconnectWindow and ClientConfig.Session.Reconnect. Mark
//     players who are away: ecs.Protocol.Away.
//   - Accept requests that are not inputs, such as rename, choose a team or buy: [ecs.Command] in the protocol, [Command] on
//     a client, [CommandFor] on the server. Refuse and limit them: [RefuseCommand], ServerConfig.Players.CommandRate, [Refusal],
//     [CommandStats].
//   - Send reliable messages, such as a chat or an inventory: ServerConfig.Session.Messages, ClientConfig.Session.Messages, OnMessage of both,
//     [Server.Session] and [Client.Session].
//   - Refuse an input: ServerConfig.Players.Refuse with [Refuse], ClientConfig.OnRefused. Find cheaters and flooders: [ClientStatus],
//     [InputStats].
//
// Choose a netcode model:
//
//   - Choose a netcode model: ServerConfig.Model, with package policy.
//   - Choose when the server consumes inputs: policy.LocalSync.Arrival. Read what happened to inputs: [InputStats].
//   - Accept late inputs for the tick that they name: policy.ServerRewind.
//   - Simulate everything on every peer: policy.Rollback, policy.Lockstep. React to worlds that differ: policy.Rollback.Desync.
//   - Send owner state only to correct it: policy.CorrectOnMismatch. Read the results: [ReportStats].
//   - Simulate other entities on a client, such as a ball, or exclude own ones: [Scope], ClientConfig.Prediction.Scope,
//     [Client.SetScope], [Assume].
//   - Let the server alone decide a field of a predicted component, such as health: the tag word server, see ecs.Predicted.
//   - Let shots hit the entities that the player saw: ServerConfig.LagComp and [Client.Claim], with package lagcomp.
//
// Control what is sent:
//
//   - Hide entities: ServerConfig.Snapshots.Interest with [Grid], [Same], [Filter], [Has], [And], [Or] and [HiddenUnless]. Hide single
//     components: ServerConfig.Snapshots.ComponentInterest, ecs.OwnerOnly.
//   - Limit the bytes for a client and rank entities: ServerConfig.Snapshots.Budget, [Server.SetBudget], ServerConfig.Snapshots.Priority. A link
//     with less capacity gets less.
//   - Learn when a client has loaded the world, and why an entity is missing: ClientConfig.Loaded, [Client.Loaded],
//     [Client.Presence], [Client.StateTick].
//   - Make snapshots smaller with statistics of your game: ServerConfig.Snapshots.Record, package codec/train, [LoadTrained],
//     ServerConfig.Snapshots.Trained and ClientConfig.Session.Trained.
//
// Measure:
//
//   - Read counters: [Server.Stats], [Server.Clients], [Server.Model], [Client.Stats], ClientConfig.Prediction.OnMismatch.
//   - Find the causes of corrections: [Client.Causes].
//   - Count bytes by component, field and entity: [Server.Traffic], [Server.TopEntities], [Server.TrafficByArchetype].
//   - Read the state of an entity that a client has acknowledged, and why the server has not sent more: [Server.Knowledge].
//   - Observe a running server in a browser or with Prometheus: package inspect. Observe it from your own program:
//     [Server.SetProbe].
//
// # What each system does
//
// A server and a client step these stages:
//
//	server  Before { Receive }            OnTick { ServerApply, Simulate, Authority }      After { Snapshot, Send }
//	client  Before { Receive, Reconcile } OnTick { InputGather, Predict (runs Simulate) }  After { Send }  Render { Interpolate }
//
// The systems in the order of an input:
//
//   - InputGather asks the game for the input of the coming tick and numbers it.
//   - Predict applies this input to the client's own entities immediately.
//   - Send transmits the input, together with earlier inputs that may be lost.
//   - ServerApply orders the inputs and gives each tick one input per client. Then Simulate runs.
//   - Snapshot captures the world at each send tick, for all clients at once. It sends each client the difference to a state
//     that this client has acknowledged. Clients that see the same and have acknowledged the same share the encoded bytes.
//   - Reconcile compares the server's state after input s with the state that the client predicted after s. If they differ,
//     it adopts the server's state and simulates the later inputs again.
//   - Interpolate draws the other entities slightly in the past, between two confirmed states.
//
// Under Rollback every peer simulates everything, and ServerApply and Reconcile simulate again the ticks that a late input
// changed. Under Lockstep they never have to. In both models, the relay sends the state of the world to clients that join.
//
// The server never simulates a completed tick again, except under ServerRewind and Rollback. A client re-simulates its own
// entities only: at most the round trip, plus the depth of the input buffer, plus one tick, and nothing while its predictions
// are right.
//
// # The view
//
// [Client.View] is a world that any renderer can read:
//
//	[Client.Frame]      updates the view for the time of a frame, at any frame rate
//	[Client.View]       the world: ecs.All and ecs.Get over replicated components, ecs.Single
//	[Client.Own]        the client's own entity in the view
//	[Client.DrawnTick]  the server tick at which others are drawn, with its fraction
//	[Client.Drawing]    of an entity: simulated, or between which states; its visual error
//	[Between]           a component in these two states
//	[Confirmed]         a component of an own entity, as the server last sent it
//
// An entity keeps its handle in the view while it is visible. Its NetID never changes, so sounds and sprites that outlive a
// frame should use the NetID. Inputs, resources and components that are not replicated exist only in [Client.World]. Values
// that a game writes to the view never reach the simulation.
//
// Others are drawn at [Client.DrawnTick], which never decreases. They move on straight lines between two confirmed states, or
// on curves with ecs.Hermite. Both depend only on these two states, so the server can reproduce them for lag compensation. While the
// later state is missing they continue as they moved, for up to two sends, or as long as ecs.Extrapolate says.
//
// A correction does not move an entity in the view at once. The view keeps the displayed place, and the difference, called
// visual error, fades as interpolate.Smoothing says. The same happens when a component that continued beyond a state gets a
// new one. When an entity starts or stops being simulated, for example by [Client.SetScope], the view blends for 12 ticks.
// All of these are functions of time, whatever the frame rate. None of them applies if components.Teleports says that the
// entity jumped. Under Rollback and Lockstep all entities are drawn in the present, and changes by late inputs fade in the
// same way. An entity that appears in a re-simulated tick has no visual error.
//
// An entity that another one carries (ecs.Carry) is placed last, at the place where this frame draws its carrier. If it gets
// another carrier, or none, the view blends for 12 ticks. While the carrier is not in the view, the entity is drawn like any
// other.
//
// Between two ticks, ClientConfig.Prediction.Partial runs the rules for the passed part of the coming tick, with the input of this frame,
// and restores the world afterwards. So frames never change what the client predicts, compares, sends or counts. A tick asks
// for its input as late as possible: after it has received packets and replayed, right before it predicts. So read the devices
// right before [Client.Advance] and call [Client.Frame] right after it; the frame then shows every key that is down. If the
// input of the tick differs from the inputs of the frames before it, the view blends the difference, at most the movement of
// one tick. Give the tick the keys that its frames have shown, and a short key tap is never lost.
//
// # Clocks
//
// A client steps at the server's rate. The server measures how long the client's inputs wait and asks the client, in
// snapshots, to run up to 2 % faster or slower, so that the buffer is as small as the link's loss allows.
//
// The drawn tick is behind the newest snapshot by the delay and loss of the path. It advances at 0.95 to 1.05 of real time. A
// datagram or burst that is later than all others counts as lost: a delay that fewer than four of the last twenty half seconds
// saw changes nothing.
//
// Clocks jump when they are too far off, and the jump is counted: the drawn tick when it is a second behind (Snaps of
// [ClientStats]); the input buffer when for half a second it held half a second too much, and after the client stalled
// (Resyncs of [InputStats]).
//
// Under ServerRewind inputs name their tick. All clients lead the server by the same number of ticks: the lead that the slowest
// link needs, at most half of the rewind window. So actions at the same moment belong to the same tick. Only a client whose
// inputs would still come too late leads further. A client follows the
// server's clock by the shortest recent round trip, by up to 2 % too. After ten seconds of a match, the lead changes by at
// most one tick a second. A client that is five ticks late catches up at once; from thirty ticks on it skips them (Jumps of
// [ClientStats]).
//
// Ticks start at ServerConfig.FirstTick and end at ecs.MaxTick: the server closes its sessions and returns [ErrTicks]. It logs
// a warning one day earlier.
//
// # Sessions and players
//
// A session survives a change of the client's address and an outage shorter than the timeout. When it times out, or the player
// comes back with another token, the player's entities stay for ServerConfig.Players.ReconnectWindow, with neutral input, and the
// player's next session continues with them. The same holds for a player who is away, see [Client.Away]. Input numbers
// continue after the last consumed input. Reliable messages start again. A client that sends but acknowledges nothing for the
// timeout has timed out too. A goodbye or a kick ends everything at once.
//
// # Files
//
//	server*.go, client*.go          the two ends; by part: peers, snapshots, relay, stamping, record, replay, save, stats
//	config*.go                      their configurations and what is checked
//	model_parts.go, models.go       the parts of an end that depend on the netcode model, and how each model chooses them
//	schedule*.go                    the order of systems
//	flight.go, flight_rerun.go      what a server keeps of its last ticks, and their simulation
//	interest.go, login.go, refusals.go, listeners.go, record_relay.go, realtime.go  types and helpers of both ends
package systems
