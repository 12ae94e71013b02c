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
//   - Serve a game: [Serve], or [NewServer] and [Server.Run]; [ServerConfig] has all settings.
//   - Play on a server: [Dial] and [Client.Run]; [Gather] turns a typed function into the source of inputs.
//   - Draw: [Client.View] is a world to read with ecs.All; own entities as predicted, all others interpolated. See
//     "The view", below.
//     What becomes of corrections there: interpolate.Smoothing. How others are drawn: ecs.Hermite, ecs.Extrapolate, interpolate.Damping;
//     how one entity was in the newest frame: [Client.Drawing]. That one jumped: components.Teleports.
//     What is carried by another entity: ecs.Carry.
//   - Show a key in the very frame that follows it, whatever the frame rate: ClientConfig.Partial.
//   - Let in only whom a login service vouches for: ServerConfig.Key and ClientConfig.Token, of package
//     netcode. Without them it is development mode, on this machine and virtual networks only.
//   - Keep a player's entities over a crash or a long outage: ServerConfig.ReconnectWindow, and
//     ClientConfig.Reconnect. Mark who is away: ecs.Protocol.Away.
//   - Send what must arrive, a chat or an inventory: ServerConfig.Messages and ClientConfig.Messages for the
//     types, [Server.Session] and [Client.Session] for the channels, OnMessage of both.
//   - Choose when the server consumes inputs: policy.InputTiming, in ServerConfig.Policies.
//   - Let a late input count in the tick that it was for: ServerConfig.Policies, those of policy.ServerRewind. What
//     became of it: [InputStats].
//   - Let every client simulate everything, by rollback or lockstep: ServerConfig.Policies. Hear
//     of a world that differs: ServerConfig.Desync.
//   - Say what happens when players come and go: [ecs.Join] and [ecs.Protocol.Leave].
//     Ask to be somebody, by name or team: ClientConfig.Login; judge that: ServerConfig.Login, with [Login].
//   - Hear who comes and goes, and turn clients away by their token: ServerConfig.Door. Many worlds in one process: package
//     rooms.
//   - Let clients do what is no input, rename themselves, choose a team, buy: [ecs.Command] in the protocol, [Command] on a
//     client, [CommandFor] on the server. Refuse and bound it: [RefuseCommand], ServerConfig.CommandRate. What became
//     of it: [Refusal], [CommandStats].
//   - Change the schedule, or leave a system out: ServerConfig.Schedule and ClientConfig.Schedule; print it
//     with [Server.Schedule] and [Client.Schedule].
//   - Put a client's system of one's own in the place of one of these: [ClientSystems], made of [ClientParts].
//   - Play many bots beside a game, for next to nothing: [Thin].
//   - Drive a peer in virtual time: [Server.Advance], [Client.Advance], [Client.Frame], on a wire of
//     netsys.Network.
//   - Simulate on a client what is not its own, a ball, so that it answers at once; or leave out what is its
//     own: [Scope], ClientConfig.Scope, [Client.SetScope], [Assume].
//   - Let the server decide what stands beside predicted state, such as health, without corrections: a
//     field tagged server; see ecs.Predicted.
//   - Bound what a client is sent, and say what matters most to it: ServerConfig.Budget, [Server.SetBudget],
//     ServerConfig.Priority. A path that takes less gets less.
//   - Let shots hit what a player had on the screen: ServerConfig.LagComp and [Client.Claim], with package
//     lagcomp.
//   - Decide what a client may know: ServerConfig.Interest with [Grid], [Same], [Filter], [Has], [And], [Or] and
//     [HiddenUnless]; single components: ServerConfig.ComponentInterest. Register components that only the owner may
//     know with ecs.OwnerOnly.
//   - Learn when a client has joined, and why an entity is not there: ClientConfig.Loaded, [Client.Loaded],
//     [Client.Presence], [Client.StateTick].
//   - See what snapshots are made of, by component, field and entity: [Server.Traffic], [Server.TopEntities],
//     [Server.TrafficByArchetype].
//   - See what a client knows of an entity: [Server.Baseline]; why it was, or was not, told of it at a tick:
//     Knowledge.Explain. Look at a server while it runs, with a browser and with Prometheus: package inspect; with a
//     program of one's own: [Server.SetProbe].
//   - Make snapshots smaller with what codec/train learned of the game: ServerConfig.Record, then
//     ServerConfig.Trained and ClientConfig.Trained, with [LoadTrained].
//   - Let a client write a component, such as a cursor: register it with ecs.ClientOwned; ServerConfig.Accept judges,
//     [Grant] and [Revoke] hand it over, [Client.MayWrite] tells.
//   - Refuse an input: ServerConfig.Refuse with [Refuse]; hear of it: ClientConfig.OnRefused. Who cheats or floods:
//     [ClientStatus], [InputStats], [ChangeStats].
//   - Send own state only to correct it: policy.CorrectOnMismatch; what came of results: [ReportStats].
//   - Find out what causes corrections: [Client.Causes].
//   - See on a client, over the running game, what the netcode does, and make its link worse: package overlay. What it goes
//     by: [Confirmed], [Between], [Client.Drawing], [Client.CountBytes].
//   - See what happens: [Server.Stats], [Server.Clients], [Server.Model], [Client.Stats], ClientConfig.OnMismatch.
//   - Test a game: package systemstest.
//   - Make a command of a game, with bots, bad links and figures: package runner. A page to play on beside it:
//     package runner/web. The client of such a page: package runner/browser.
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
// Where every peer simulates everything ServerApply and Reconcile simulate again what late inputs
// changed, nothing under lockstep, and Snapshot makes the state of the world for who joins.
//
// The server never goes back, but under policies that say so: a completed tick is not
// simulated again, whatever arrives late. What a client re-simulates is its own entities only,
// at most the round trip plus the buffer's depth plus one tick, and nothing
// while its predictions are right.
//
// # The view
//
// What there is to draw is a world of its own, plain Go that any renderer can read:
//
//	[Client.Frame]      brings it up to date for the time of a frame, at any rate
//	[Client.View]       the world: ecs.All and ecs.Get over replicated components, ecs.Single
//	[Client.Own]        the own entity there
//	[Client.DrawnTick]  the server's tick that others are drawn at, a fraction of it included
//	[Client.Drawing]    of an entity: simulated or between which states, and its visual error
//	[Between]            a component in these two states
//	[Confirmed]         a component of an own entity as the server last told of it
//
// An entity keeps its handle there while it is in sight; its NetID is the one that it has everywhere, by which sounds
// and sprites that outlive a frame can be kept. Inputs, components that are not replicated, and resources are in
// [Client.World] alone. What is written to the view gets into no simulation.
//
// The view is apart from what is simulated; drawing never writes that. Others are drawn at [Client.DrawnTick],
// which only goes up, on straight lines between confirmed states, or on curves where ecs.Hermite says so. Both
// depend on two states alone, so the server can reproduce them. When an own entity, or one that is co-simulated, is
// corrected, the view keeps the place that it showed, and the difference, its visual error, fades: interpolate.Smoothing. The
// same happens when a component that ecs.Extrapolate carried on comes back; and a switch between being simulated
// and not, as by [Client.SetScope], goes over in 12 ticks. All of these are functions of time, whatever the frame
// rate. Where components.Teleports says that an entity jumped, none of them applies. Where every peer
// simulates everything all are drawn in the present, and what an input that came late has changed of others
// fades in the same way; what came up in ticks that were simulated again does not, as it may be another.
//
// What ecs.Carry says that another entity carries is placed last, where this frame drew its carrier: the flag of a
// tank is on the tank, whichever of the two is simulated, and a row of carriers stands together. Where another
// carrier, or none, gives another place, the view goes over to it in 12 ticks. While its carrier is not in the
// view, an entity is drawn as any other.
//
// Between two ticks what is simulated is drawn where ClientConfig.Partial leads: a partial tick, the rules run for that
// part of the coming tick which has passed, with the input of this frame, or the one that is known for that tick, on the
// world, which then gets back all that it had; nothing that is predicted, compared, sent or counted depends on frames. Input is taken as late as can
// be: a tick asks for it when packets are taken in and replays are done, right before it predicts and sends, and a
// frame when it is drawn. So read the devices right before [Client.Advance], and call [Client.Frame] right after
// it: what is pressed by then is in that frame. A tick counts as a whole for the input that Gather gives it; where
// that is another than the frames before have shown, what is drawn goes over by up to what a tick moves. A game that
// gives the tick the keys that its frames have shown takes back nothing, and loses no key that is up again before it.
//
// # Clocks
//
// Three clocks follow each other, and none of them follows a single datagram. A client steps at the server's
// rate; the server sees how long its inputs wait and asks it, in snapshots, to run up to 2 % faster or slower,
// so that as few wait as the link's loss allows. What a client draws of others lies behind the newest snapshots
// by what the path delays and loses, and plays at 0.95 to 1.05 of real time. A datagram, or a burst, that comes
// later than all others counts as lost: delays that fewer than four of the last twenty half seconds saw move
// nothing. Beyond bounds clocks jump, which is counted: the view when it is a second behind (Snaps of
// [ClientStats]), the input buffer when for half a second there was half a second too much in it, and when
// the client has stalled (Resyncs of [InputStats]).
//
// Where inputs are stamped with their tick, as under policy.ServerRewind, all clients lead the server alike, by what
// the slowest link needs, at most half of the window: then what two players do at the same moment counts for the
// same tick. Each follows the server's clock by the shortest round trip of late, and the lead that the server
// tells, by up to 2 % as well, once the match has gone on for ten seconds by a tick a second. One that is five
// ticks late makes up for them at once; from thirty on it leaves them out (Jumps of [ClientStats]).
//
// Ticks go up to ecs.MaxTick, from ServerConfig.FirstTick, and never begin again: with them the server ends, clients
// hear a goodbye, and the log has said so a day before. See [ErrTicks].
//
// # Sessions end, players stay
//
// A session outlives a change of the client's address and an outage shorter than the timeout, with all that
// belongs to it. When it times out, or the player comes with another token, its entities wait for
// ServerConfig.ReconnectWindow, with neutral input; the player's next session goes on with them. So do those of a player
// who is away: see [Client.Away]. Its inputs count on
// from the last that was consumed, its messages begin anew. A client that acknowledges nothing for the timeout,
// although it sends, has timed out too. Goodbyes and kicks end everything at once.
package systems
