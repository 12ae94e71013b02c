// Package netsys carries datagrams and messages between a server and its clients: wires, which move bytes and promise
// nothing, and on them sessions, which are encrypted, say who is there, what arrived, and how good the path is.
// A session is one of the netcode 1.02 standard (package netcode) with acknowledgements, datagrams and channels
// (package channel) inside.
//
// Nothing in it reads a clock or needs a goroutine: an [Endpoint] is polled, and time is an argument. The same
// server runs on a real socket and in virtual time on a [Network], where minutes take milliseconds and a seed
// decides everything. The package example is the smallest whole program.
//
// # Index of tasks
//
// Connect:
//
//   - Serve on a port: package eventloop has the wire for servers, package batch the one for Linux servers with
//     many clients, [ListenUDP] a portable one; then [NewServer].
//   - Connect to a server: [DialUDP], then [NewClient].
//   - Admit players who logged in: [ServerConfig.Key], [ClientConfig.Token]; package netcode issues tokens.
//   - Need no keys on your own machine: leave both out. Elsewhere that is [ErrInsecure].
//   - Learn who comes, what arrives, what the peer received, who goes: [Handler]. Who it is: [Session.ClientID],
//     [Session.UserData].
//   - Send what only counts now, as inputs and snapshots do: [Session.Send]. To all clients: range over
//     [Server.Sessions]; on several processors: [Server.Spread]. At the end of a tick: [Server.Flush]. How much the path takes: [channel.Endpoint.Allowance].
//   - Send what must arrive: [Session.Channels], [channel.Endpoint.Send]; typed messages: [channel.Register] and
//     [ServerConfig.Messages]. Other channels: [ServerConfig.Channels].
//   - Tell a client something along with its id: [ServerConfig.Welcome], [Client.Welcome]; tell the server
//     something with the hello: [ClientConfig.Tag], [Server.Tag]; ask to be somebody: [ClientConfig.Login], and judge
//     that: [ServerConfig.Login], [Server.Login].
//   - Give a player who comes back the same id: [ServerConfig.ID].
//   - Refuse clients that were built differently, naming the difference: [ServerConfig.Schema], [SchemaError].
//   - Throw somebody out: [Session.Close]. Stop: [Server.StopAccepting], [Server.Close].
//   - See on the server whose token was refused, and why: [ServerConfig.Logger].
//   - Understand an end: errors.Is with [ErrTimeout], [netcode.ErrTokenExpired], [ErrElsewhere], [ErrRefused], [ErrServerFull], [ErrVersion], [ErrSchema], [ErrLogin], [ErrBusy],
//     [ErrClosed], [ErrReplaced]; errors.As with [*CloseError] for the peer's [Reason].
//
// Measure:
//
//   - Round trip, jitter, loss, traffic: [Session.Stats]. Of channels: [channel.Endpoint.Stats].
//   - What was thrown away and why: [Server.DatagramDrops] and [Client.DatagramDrops] by [netcode.DropReason], and
//     of what was authentic [Server.Drops] and [Client.Drops] by [DropReason]. Printed, they have names.
//
// Test:
//
//   - A whole match in one process without sockets: [NewNetwork], [SeededRandom].
//   - A bad network around any wire: [Condition], [Link]; worse or better while it runs: [Conditioner.SetLinks].
//   - A wire of your own: [Wire], [Inbox], for several processors [ParallelWire]; its conformance tests are in package netsystest.
//
// # What holds
//
//   - A wire, and an endpoint with all its sessions, belong to one goroutine. Handlers run inside Poll. Only what
//     [ServerConfig.Workers] says runs on others, and nothing that is seen or sent depends on how many these are.
//   - Who has a session was admitted by a token, and nobody else reads or changes what is sent. That does not hold in
//     development mode, of which everybody knows the key.
//   - Payloads arrive at most once, unchanged, in any order, or not at all. Nothing of them is resent. Messages of
//     reliable channels arrive.
//   - A session survives a change of the client's address, and any silence that is shorter than its timeout. A new
//     token for the same client id ends it and begins the next.
//   - What comes from the wire is bounded and checked before it is used. What is wrong is counted and dropped;
//     what strangers send ends no session and changes no statistics of one. A peer with a session that sends what
//     no honest one does is thrown out after a while: [ServerConfig.MaxMalformed].
//   - No answer is longer than what it answers, but for a challenge at a client's new address, which is a few bytes
//     longer than the shortest packet that it can answer.
//   - Sessions are visited in join order. No map order, clock or goroutine decides anything.
//   - Sending and receiving allocate nothing once a session is warm.
//   - Memory is bounded: about 8 kB a session with the default channels, and what the configured queues hold.
//   - Keys and tokens are never printed.
package netsys
