// Package relay is the two ends of rollback and of lockstep: everybody simulates
// everything, and only inputs travel. The ends are state machines: bytes in, bytes out, time in
// ticks. They know no network; a session below carries numbered datagrams that may get lost, and
// reliable messages in order.
//
// The server:
//
//   - Begin: [NewServer], [Config]; lockstep with Timeline.Wait.
//   - Clients come and go: [Server.Add], [Server.Expect], [Server.Remove], [Server.Playing]. One comes back with another session, or is to
//     begin anew: [Server.Renew].
//   - In each tick: [Server.Receive] what has come, [Server.Ready], a tick of [Server.Timeline], [Server.Close],
//     [Server.Attend], [Server.Append] for each client at once.
//   - Carry reliable messages: [Server.Outgoing], [Server.Sent], [Server.Deliver].
//   - Say how lossy the ways are: [Server.Repeat], [Client.Repeat].
//   - Say which ticks will not be made, as the process stood still: [Server.Skip].
//   - Refuse an input: Config.Refuse. Hear of a client whose world differs: Config.Diverged, [Divergence].
//   - Look: [Server.Timeline]. Count: [Server.Stats].
//
// The client:
//
//   - Begin: [NewClient], [ClientConfig].
//   - In each frame: [Client.Receive] what has come, [Client.Step] as often as a tick is due, [Client.Append] once.
//   - Carry reliable messages: [Client.Outgoing], [Client.Sent], [Client.Deliver].
//   - Draw between ticks: [Client.Foresee].
//   - Know when an input is used: [Client.Due], [Client.Delay]. Be further ahead than it should, and stay: [Client.Hold]. Show progress: [Client.Following], [Client.Playing].
//   - Stay at the server's tick, or under lockstep as far behind it as everybody: package clock, [Client.ServerTick],
//     [Client.Waited], [Client.Lag].
//   - Look: [Client.Timeline]. Count: [Client.Stats].
//
// # What travels
//
// A client stamps each input with the tick that it applies in, which is its next one and a delay, and
// sends it in a frame's message. The server takes them into its
// timeline, and after each of its ticks tells every client, the one that sent them too, the runs of inputs of all
// players. Either end repeats an input in the next few messages, and all that the other is not known to have an eighth of a
// second apart at most: a message that gets through brings what was lost with those before it, and one that was overtaken
// what those behind it left out. With them go who joins and leaves in which tick, and the
// horizon, before which all is final. telling.go has what is repeated, up.go and down.go have the bytes, and
// wire.InputWords how inputs are written.
//
// A late client is sent the state of the whole world before a final tick, in parts of Config.Part bytes, and
// the inputs since. When it has caught up the server lets it play, from its next tick on. A client that was silent
// for longer than Config.Keep, or needs to change what is final for it, is sent a state again.
//
// # Rollback and lockstep
//
// Under rollback nobody waits: all peers are at the same tick by their clocks, an input that was l ticks under way
// makes l ticks simulated again on who hears it, and so it is what Config.Timeline.Window bounds. A client
// that hears nothing for its window stops until it does.
//
// Under lockstep the server makes no tick before it has the inputs of all players, and clients none before they are
// told it. Nothing is simulated twice. The delay of inputs is one for all, which the server tells: the longest that a
// client says to need, which is its worst round trip of late, so that inputs are in stock when the server needs them.
// All clients are half of that delay behind the server, [Client.Lag]. So nobody answers earlier than others to what
// it sees, nor sees it earlier, as far as the ways to and from the server are equally long. A client whose round trip
// grows keeps everybody waiting once. One who is silent does so for Config.Stall ticks; then
// its inputs are filled as missing ones are, which it is told.
//
// # What holds
//
//   - The same final ticks on all peers, hash by hash, whatever the links do to datagrams.
//   - The server decides. What it did not take, or took as none, the sender's own timeline learns.
//   - Whatever comes is checked before it is used, costs time and memory in proportion to its length, and inputs of a
//     client make the server simulate no more than its timeline's cap.
//   - In steady state nothing is allocated.
//
// # Divergence
//
// Every Checks ticks both ends tell the hash of a final one. When they differ, the client tells
// the digests of the ticks since they last agreed, and the server names the first tick in which they differ, component
// and field. The client then simulates each of the next 30 ticks twice, and tells which system
// does not do the same both times, when there is one. See [ecs.World.ForceRollback].
//
// The server then sends it the state of the world, from which it plays on; nobody waits for it meanwhile. One that
// diverges again soon is sent the next after two seconds, then four, up to 64.
package relay
