// Package manysockets opens the wires of a swarm's clients: a [Set] over UDP, a [Web] over WebSocket.
//
//   - On Linux, clients of a server on a loopback address of IPv4 share a few sockets. Each client has its own address in
//     127.0.0.0/8, from 127.64.0.0 on. One system call reads up to 64 datagrams. Datagrams wait in the kernel until the next
//     Poll, so none wakes a goroutine.
//   - On Linux, to any other server, each client has a socket, which is read in the same way.
//   - On other systems each client has a [netsys.UDP].
//   - Over WebSocket each client has a connection. On Linux, Poll reads those that have data, and Send writes. Over TLS (wss://)
//     and on other systems each connection is a websocket.Wire with two goroutines.
//   - There are never more sockets than [Config.Sockets].
//   - On Linux, arrivals carry the kernel's time stamp, so the wait for Poll does not count as round trip time.
//   - Only [Web.Connect] blocks. On Linux neither direction allocates.
//   - A set and its wires belong to one goroutine. [Web.Connect] may be called from any goroutine.
//
// Linux gives a socket 208 KiB of buffer unless net.core.rmem_max or the right to ignore it (CAP_NET_ADMIN) allows more.
// Where it gives less than all clients of a socket need, a set takes more sockets.
package manysockets
