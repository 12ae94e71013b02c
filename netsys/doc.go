// Package netsys carries datagrams between a server and its clients: wires, which move bytes and promise
// nothing, and on them sessions, which say who is there, what arrived, and how good the path is.
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
//   - Learn who comes, what arrives, what the peer received, who goes: [Handler].
//   - Send: [Session.Send]. To all clients: range over [Server.Sessions]. At the end of a tick: [Server.Flush].
//   - Tell a client something along with its id: [ServerConfig.Welcome], [Client.Welcome]; tell the server
//     something with the Hello: [ClientConfig.Tag], [Server.Tag].
//   - Refuse clients that were built differently, naming the difference: [ServerConfig.Schema], [SchemaError].
//   - Throw somebody out: [Session.Close]. Stop: [Server.StopAccepting], [Server.Close].
//   - Understand an end: errors.Is with [ErrTimeout], [ErrRefused], [ErrServerFull], [ErrVersion], [ErrSchema],
//     [ErrClosed], [ErrReplaced]; errors.As with [*CloseError] for the peer's [Reason].
//
// Measure:
//
//   - Round trip, jitter, loss, traffic: [Session.Stats].
//   - What was thrown away and why: [Server.Drops], [Client.Drops], [DropReason].
//
// Test:
//
//   - A whole match in one process without sockets: [NewNetwork], [SeededRandom].
//   - A bad network around any wire: [Condition], [Link]; worse or better while it runs: [Conditioner.SetLinks].
//   - A wire of your own: [Wire], [Inbox]; its conformance tests are in package netsystest.
//
// # What holds
//
//   - A wire, and an endpoint with all its sessions, belong to one goroutine. Handlers run inside Poll.
//   - Payloads arrive at most once, unchanged, in any order, or not at all. Nothing is resent.
//   - What comes from the wire is bounded and checked before it is used. What is wrong is counted and dropped;
//     it ends no session and changes no statistics of an honest one.
//   - Sessions are visited in join order. No map order, clock or goroutine decides anything.
//   - Sending and receiving allocate nothing once a session is warm.
//   - Memory is bounded: about 25 kB a session, and what the configured queues hold.
//
// # What does not hold
//
// Sessions made here are not encrypted. Their checksum includes a random token, which keeps out strangers who
// cannot read the traffic and nobody else.
package netsys
