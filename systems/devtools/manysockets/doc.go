// Package manysockets provides the transports of many clients in one process, over UDP or WebSocket, for load tests and
// thousands of bots. Pass the result of [Set.Wire] or [Web.Wire] to [netsys.NewClient] or systems.NewClient.
//
// # Index of tasks
//
//   - Open a set: [Config.Dial]. Get the transport of a client: [Set.Wire].
//   - Receive for all clients: [Set.Poll], which reports the client of each arrival. Send the collected datagrams:
//     [Set.Flush].
//   - Get the server's address for NewClient: [Set.RemoteAddr].
//   - Check for buffers that are too small, and count sockets: [Set.Stats].
//   - Stop: [Set.Close].
//   - Use WebSocket: [Config.Web]. Open the connection of each client, which blocks: [Web.Connect].
//
// # Guarantees
//
//   - On Linux, clients of a server on an IPv4 loopback address share a few sockets. Each client has its own address in
//     127.0.0.0/8, from 127.64.0.0 on. One system call reads up to 64 datagrams. Arrivals wait in the kernel until the next
//     Poll and wake up no goroutine.
//   - On Linux, clients of any other server have one socket each, which works in the same way.
//   - On other systems each client has a [netsys.UDP].
//   - Over WebSocket each client has a connection. On Linux, Poll reads the connections with arrivals and Send writes,
//     without goroutines. Over TLS (wss://) and on other systems, each connection is a websocket.Wire with two goroutines.
//   - The number of sockets never exceeds [Config.Sockets].
//   - On Linux, arrivals carry the kernel's time stamp, so the wait for Poll does not count as round-trip time.
//   - No call blocks, except [Web.Connect]. On Linux, sending and receiving allocate nothing.
//   - A set and its transports belong to one goroutine. Only [Web.Connect] may be called by others.
//
// Linux grants a socket 208 KiB of buffer unless net.core.rmem_max or CAP_NET_ADMIN allows more. If the buffer is too small
// for all clients of a socket, a set opens more sockets.
package manysockets
