// Package relay implements both ends of rollback and lockstep. Every peer simulates
// everything, and only inputs are sent. Both ends are state machines: bytes in, bytes out,
// time in ticks. A session carries numbered datagrams, which may be lost, and ordered reliable
// messages. session.go connects both ends to a [netsys.Session]; pace.go keeps a client at the
// server's tick.
//
// The server:
//
//   - Start: [NewServer], [Config]. Timeline.Wait selects lockstep.
//   - Add and remove players: [Server.Join], [Server.SetLead], [Server.Leave], [Server.Depart], [Server.Playing]; spectators:
//     [Server.Add], [Server.Remove]. To start over: [Server.Resync].
//   - In each tick: [Server.ReceivePacket] for arrived datagrams, [Server.Message] for messages of channels, [Server.Ready],
//     [Server.Run], the simulation, [Server.Done], [Server.PrepareStates], then [Server.NextPacket] and
//     [Server.SendReliable] for each client.
//   - Without a session: [Server.Receive], [Server.Deliver], [Server.Append], [Server.Outgoing], [Server.Sent],
//     [Server.SetRepeats].
//   - Report dropped ticks after the process stood still: [Server.SkipTicks].
//   - Refuse an input: Config.Refuse. Learn which client diverged: Config.Diverged, policy.Divergence.
//   - Record for a replay: [Server.Record], [Recorder.Write].
//   - Inspect: [Server.Timeline]. Counters: [Server.Stats].
//
// The client:
//
//   - Start: [NewClient], [ClientConfig].
//   - In each frame: [Client.ReceivePacket] for arrived datagrams, [Client.Message] for messages of channels, [Client.Step]
//     for each tick that is due, [Client.Send] once.
//   - Without a session: [Client.Receive], [Client.Deliver], [Client.Append], [Client.Outgoing], [Client.Sent],
//     [Client.SetRepeats].
//   - Stay at the server's tick, or under lockstep at the common distance behind it: [Client.Rate], [Client.More].
//   - Draw between ticks: [Client.PredictInputs].
//   - Learn when an input is used: [Client.Due], [Client.Delay]. Show progress: [Client.Following], [Client.Playing].
//   - Record for a replay: [Client.Record], [Recorder.Write].
//   - Inspect: [Client.Timeline]. Counters: [Client.Stats].
//
// # Messages
//
// A client stamps each input with the tick in which it applies: the client's next tick plus a delay. It sends its inputs
// once per frame. The server stores them in its timeline. After each of its ticks, it sends every client, including the
// sender, the inputs of all players. Either end repeats an input in the next few messages, and repeats all
// unacknowledged inputs at least every eighth of a second. A message that arrives therefore also brings the inputs of
// earlier messages that were lost. The messages also carry the joins and leaves with their ticks, and the horizon: all
// ticks before it are final. resend.go decides which inputs are repeated, up.go and down.go define the messages, and
// wire.InputWords encodes inputs.
//
// A client that joins late receives the state of the whole world before a final tick, in parts of Config.Part bytes, and
// the inputs since that tick. When the client has caught up, the server adds its player to the game in the server's
// next tick. The server sends a new state to a client that was silent for longer than Config.Keep, or that
// received an input for a tick that is already final on the client.
//
// # Rollback and lockstep
//
// Under rollback no peer waits. Clocks keep all peers at the same tick. An input that takes l ticks to arrive makes the
// receiver simulate l ticks again, at most Config.Timeline.Window ticks. A client whose inputs would take longer delays them:
// see ClientConfig.Late. A client that receives nothing for its window stops until it receives a message.
//
// Under lockstep the server starts a tick when it has the inputs of all players, and clients simulate a tick when they
// have received them. No tick is simulated twice. All inputs have the same delay, which the server announces. It is the
// longest delay that any client requests; a client requests its worst recent round trip, so that its inputs arrive before
// the server needs them. All clients stay half of that delay behind the server; see lag. If the paths to and
// from the server are equally long, all players therefore see a tick at the same time and can react equally early. When
// the round trip of one client grows, all clients wait once. The server waits Config.Stall ticks for a silent
// client. Then it fills the missing inputs and tells the client.
//
// # Guarantees
//
//   - Final ticks have equal hashes on all peers, however many datagrams are lost or reordered.
//   - The server decides. If it refuses an input or received it too late, the sender's timeline learns that.
//   - Every message is validated before use and costs time and memory in proportion to its length. A client's
//     inputs cannot make the server simulate more ticks again than the cap of its timeline.
//   - In steady state nothing is allocated.
//
// # Divergence
//
// Every Config.Checks ticks both ends send the hash of a final tick. If the hashes differ, the client sends the digests of
// the ticks since the last equal hash, and the server finds the first tick, component and field that differ. The
// client then simulates each of the next 30 ticks twice. If a system does not produce the same result both times,
// the client reports that system. See [ecs.World.ForceRollback].
//
// The server then sends the client the state of the world, and the client continues from it. No other client waits. If
// the client diverges again soon, the server waits two seconds before the next state, then four, up to 64.
package relay
