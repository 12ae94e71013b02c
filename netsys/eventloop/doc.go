// Package eventloop serves UDP and WebSocket on a server: it implements [netsys.Wire] with a [gnet] event loop. Only servers
// import it, so clients do not link gnet. Pass the result of [Listen] to [netsys.NewServer].
//
// # Index of tasks
//
//   - Listen with the defaults: [Listen]. Set sizes or a logger: [ListenConfig.Listen].
//   - Serve browsers: [ListenWebSocket], or together with UDP: [ListenBoth], [ListenConfig.WebSocket]. Clients connect with
//     package websocket.
//   - Configure which pages may connect, and a proxy in front of the server: [WebSocketConfig].
//   - Find out which port "127.0.0.1:0" got: [Listener.LocalAddr], [Listener.WebSocketAddr].
//   - Print or ban a peer's address: [PeerAddr], [IsWebSocket].
//   - Count misbehaving WebSocket clients: [Listener.WebSocketStats]. Limit clients: [WebSocketConfig].
//   - Detect that the server polls too rarely: [Listener.Dropped]; that it sends too much: [Listener.SendErrors].
//   - Learn that the listener has failed and the server must start again: [Listener.Err].
//   - Choose how long the event loop sleeps: [ListenConfig.Coalesce]. Count its wake-ups: [Listener.WakeUps].
//   - Send from several goroutines: [Listener.Senders], which [netsys.Server.Spread] uses.
//   - Stop: [Listener.Close]. The port is free when it returns.
//
// # Guarantees
//
//   - A port has one listener. A second one gets an error, in another process too.
//   - IPv4 peers have IPv4 addresses, even on a socket that serves IPv6 too. Each WebSocket connection has an address with a
//     mark that no UDP peer can have.
//   - Sending does not allocate or block. Receiving over UDP costs gnet's five allocations for each datagram that wakes up the
//     loop, and no others. Receiving over WebSocket does not allocate.
//   - On Linux, Poll reads the WebSocket connections after their first message and answers their pings. On other systems the
//     event loop does both. The kernel stamps arrivals on Linux, so the wait for a Poll does not count as round trip time.
//   - A WebSocket message is one datagram in one frame. The sizes of requests and frames are checked before their contents are
//     stored. A client that does not read loses the oldest waiting datagrams, and finally its connection.
//   - A page may connect under the server's own names only, which no other web site can use:
//     [WebSocketConfig.Origins], [WebSocketConfig.Hosts]. The frames of a connection are limited, pings like datagrams.
//   - A WebSocket connection carries a session. Its first message must start or resume a session. The connection is closed when
//     nothing is sent to it, when it is silent, or when its address has too many connections.
//   - A moment without file descriptors or memory ends nothing. New WebSocket connections wait meanwhile, and UDP goes on.
//   - On systems that gnet does not support natively, such as Windows, the listener wraps [netsys.UDP] and serves no WebSocket.
//
// # Wake-ups
//
// gnet reads one UDP datagram per wake-up of its loop, and a wake-up costs several times what receiving and sending a datagram
// do. On Linux, the loop therefore sleeps after a datagram has woken it up, as long as somebody polls. Further datagrams
// collect in the kernel, and the next Poll reads them in batches. The loop reads them itself after a sleep if nobody
// polls or if the kernel's buffer fills up. The senders of [Listener.Senders], which a server uses,
// collect datagrams for one system call. Datagrams that the kernel then refuses are counted in
// [Listener.SendErrors].
//
// Established WebSocket connections wake up nothing on Linux. A Poll asks the kernel which connections are readable, and reads
// all data of a connection in one call. A sender writes consecutive messages to one connection in one call. At 60 messages up
// and 20 down per second and client, reading a message costs 2 µs and writing one 6 to 7 µs, nearly all of it in the kernel's
// TCP.
//
// The program internal/bench/packets measures the cost of a packet. With 1,000 clients with sessions, 100 bytes up and 400
// bytes down at 60 Hz each, on a virtual machine, a packet costs 3.2 µs of the server's processor time, two thirds of it in the
// kernel. It costs 6.0 µs when gnet wakes up for each datagram.
//
// In internal/bench/arena -npcs 200, on a busy virtual machine, the server's processor time per client and snapshot is, median of
// three runs, with plain gnet and as it is:
//
//	100 clients, UDP         81 µs   43 µs
//	300 clients, UDP         48 µs   31 µs
//	100 clients, WebSocket   90 µs   58 µs
//	300 clients, WebSocket   60 µs   49 µs
//
// A loop that reads batches over UDP and does not sleep takes 83 µs at 100 clients and 43 µs at 300. One that sleeps for 4 ms while
// Poll does not read takes 55 and 36 µs, and datagrams that arrive meanwhile miss the next tick. The time from an input to the
// snapshot that contains it is the same within the scatter.
//
// [gnet]: https://pkg.go.dev/github.com/panjf2000/gnet/v2
package eventloop
