// Package netsys carries datagrams and messages between a server and its clients. A [Wire] transports datagrams without any
// guarantee. A [Session] on top of it is encrypted, identifies the client, acknowledges datagrams and measures the path.
// Sessions follow the netcode 1.02 standard (package netcode). Inside, they have acknowledgements, datagrams and channels
// (package channel).
//
// The package reads no clock and needs no goroutine: the caller polls an [Endpoint] and passes the time. The same server runs
// on a socket and, in virtual time, on a [Network], where minutes take milliseconds and a seed determines everything. The
// package example is a small complete program.
//
// # Index of tasks
//
// Connect:
//
//   - Serve on a port: package eventloop; [ListenUDP] on any system. Then [NewServer].
//   - Connect to a server: [DialUDP], then [NewClient].
//   - Admit players who have logged in: [ServerConfig.Key], [ClientConfig.Token]. Package netcode issues tokens. Leave out both
//     on your own machine; elsewhere this returns [ErrInsecure].
//   - Handle joins, payloads, acknowledgements and leaves: [Handler]. Identify a client: [Session.ClientID], [Session.UserData].
//   - Send unreliable data, such as inputs and snapshots: [Session.Send]. Send to all clients: range over [Server.Sessions], or
//     [Server.Spread] on several processors. End the tick: [Server.Flush]. Read the capacity of the path:
//     [channel.Endpoint.Allowance].
//   - Send reliable data: [Session.Channels], [channel.Endpoint.Send]. Send typed messages: [channel.Register],
//     [ServerConfig.Messages]. Configure channels: [ServerConfig.Channels].
//   - Send data with the client's id: [ServerConfig.Welcome], [Client.Welcome]. Send data with the first packet:
//     [ClientConfig.Tag], [Server.Tag]. Request a name or a team: [ClientConfig.Login]; check it: [ServerConfig.Login],
//     [Server.Login].
//   - Give a returning player the same id: [ServerConfig.ID].
//   - Refuse clients with another schema and name the difference: [ServerConfig.Schema], [SchemaError].
//   - Remove a client: [Session.Close]. Stop: [Server.StopAccepting], [Server.Close].
//   - Log refused tokens with the reason: [ServerConfig.Logger].
//   - Find out why a session ended: errors.Is with [ErrTimeout], [netcode.ErrTokenExpired], [ErrElsewhere], [ErrRefused],
//     [ErrServerFull], [ErrVersion], [ErrSchema], [ErrLogin], [ErrBusy], [ErrClosed], [ErrReplaced]; errors.As with
//     [*CloseError] for the [Reason] of the other side.
//
// Measure:
//
//   - Round trip, jitter, loss, traffic: [Session.Stats]. Channels: [channel.Endpoint.Stats].
//   - Dropped datagrams: [Server.DatagramDrops] and [Client.DatagramDrops] by [netcode.DropReason]. Dropped contents of
//     authentic datagrams: [Server.Drops] and [Client.Drops] by [DropReason]. Both reasons print as names.
//
// Test:
//
//   - Run a whole match in one process without sockets: [NewNetwork], [SeededRandom].
//   - Simulate a bad network around any wire: [Condition], [Link]. Change it at run time: [Conditioner.SetLinks].
//   - Write your own wire: [Wire], [Inbox], and [ParallelWire] for several processors. Package netsystest has its
//     conformance tests.
//
// # Guarantees
//
//   - A wire belongs to one goroutine, and so does an endpoint with all its sessions. Handlers run inside Poll. Only the work
//     that [ServerConfig.Workers] names runs on other goroutines, and their number changes no received or sent byte.
//   - A token admits each client. Nobody else can read or change its session. This does not hold in development mode, because
//     its key is public.
//   - A payload arrives at most once and unchanged, in any order, or not at all. Payloads are never resent. Messages of reliable
//     channels always arrive.
//   - A session survives a change of the client's address, and any silence shorter than its timeout. A new token for the same
//     client id ends the session and starts the next one.
//   - Received data is bounded and checked before use. Invalid data is counted and dropped. Datagrams of strangers end no
//     session and change no statistics of a session. A client that keeps sending invalid data is disconnected:
//     [ServerConfig.MaxMalformed].
//   - No answer is longer than the packet that caused it. The only exception is a challenge at a client's new address, which is
//     a few bytes longer than the shortest packet that triggers it.
//   - Sessions are visited in join order. No map order, clock or goroutine influences a result.
//   - Sending and receiving allocate nothing once a session has warmed up.
//   - Memory is bounded: about 8 kB for a session with the default channels, plus the contents of the configured queues.
//   - Keys and tokens are never printed.
package netsys
