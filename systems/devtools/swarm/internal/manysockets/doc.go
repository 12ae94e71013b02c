// Package manysockets is the wires of many clients in one process, over UDP or WebSocket: for load tests, and bots by the
// thousand. Give each [Set.Wire] or [Web.Wire] to a [netsys.NewClient] or a systems.NewClient.
//
// # Index of tasks
//
//   - Open one: [Config.Dial]. Get the wire of a client: [Set.Wire].
//   - Receive for all at once: [Set.Poll], which says for whom something came. Send what was collected: [Set.Flush].
//   - Learn the server's address for NewClient: [Set.RemoteAddr].
//   - See whether buffers are too small, and how many sockets there are: [Set.Stats].
//   - Stop: [Set.Close].
//   - The same over WebSocket: [Config.Web], and a connection for each client, which blocks: [Web.Connect].
//
// # What holds
//
//   - On Linux, to a server on a loopback address of IPv4, the clients share a few sockets: each has an address of its
//     own in 127.0.0.0/8, from 127.64.0.0 on. Arrivals are taken in up to 64 a system call, and nothing wakes up for
//     one: they wait in the kernel until the next Poll.
//   - On Linux, to any other server, each client has a socket, of which the same holds.
//   - Elsewhere each client has a [netsys.UDP].
//   - Over WebSocket each client has a connection. On Linux no goroutine serves one, and nothing wakes up: a Poll reads those
//     that have something, Send writes. Over TLS (wss://) and elsewhere each has a websocket.Wire with two goroutines.
//   - There are never more sockets than [Config.Sockets].
//   - Arrivals carry the kernel's time stamp on Linux, so that waiting for the Poll does not count as round trip time.
//   - Nothing blocks, and on Linux neither direction allocates.
//   - A set and its wires belong to one goroutine, but for [Web.Connect].
//
// Linux gives a socket 208 KiB of buffer unless net.core.rmem_max or the right to ignore it (CAP_NET_ADMIN) allows more.
// Where it gives less than all clients of a socket need, a set takes more sockets.
package manysockets
