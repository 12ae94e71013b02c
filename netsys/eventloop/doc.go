// Package eventloop is the server's wire for UDP and WebSocket: a [gnet] event loop behind [netsys.Wire]. Only
// servers import it, so that clients link nothing of gnet. What [Listen] returns goes to [netsys.NewServer].
//
// # Index of tasks
//
//   - Listen with the defaults: [Listen]. With sizes or a logger: [ListenConfig.Listen].
//   - Serve browsers: [ListenWebSocket]; together with UDP on one wire: [ListenConfig.WebSocket]. Their end is in
//     package websocket.
//   - Say which pages may connect, and behind which proxy the server stands: [WebSocketConfig].
//   - Learn which port was taken for "127.0.0.1:0": [Listener.LocalAddr], [Listener.WebSocketAddr].
//   - Name a peer in a log or a ban: [PeerAddr], [IsWebSocket].
//   - See what WebSocket clients do wrong: [Listener.WebSocketStats]. Bound what they may do: [WebSocketConfig].
//   - See whether polls come too seldom: [Listener.Dropped]; whether sending is too much: [Listener.SendErrors].
//   - Choose between few wake-ups and the loop's attention at once: [ListenConfig.Coalesce]; count them:
//     [Listener.WakeUps].
//   - Send from several goroutines: [Listener.Senders], which [netsys.Server.Spread] uses.
//   - Stop: [Listener.Close]; the port is free when it returns.
//
// # What holds
//
//   - One port has one listener: a second one gets an error, also from another process.
//   - IPv4 peers have IPv4 addresses, also on a socket that serves both families. WebSocket peers have marked
//     addresses, one for each connection, that no UDP peer can have.
//   - Sending allocates nothing and never blocks. Receiving costs the five allocations that gnet makes for
//     each UDP datagram that wakes it up, and none of ours; over WebSocket nothing.
//   - On Linux a Poll reads the WebSocket connections that have begun, and answers their pings; on other systems the loop
//     does. Arrivals have the kernel's time stamp, so that waiting for the Poll does not count as round trip time.
//   - A WebSocket message is a datagram, in one frame. What a request or a frame says of its size is judged
//     before anything of it is kept. A client that does not read loses the oldest of what waits for it, and in the
//     end its connection.
//   - A page connects under names of this server only, which no web site can make lead here: [WebSocketConfig.Origins],
//     [WebSocketConfig.Hosts]. What one connection brings is bounded, pings like datagrams.
//   - A WebSocket connection is for sessions: it begins with what a session begins or goes on with, and ends when
//     nobody answers it, when it falls silent, or when its address has too many.
//   - On systems without a native event loop in gnet (Windows among them) the listener is a [netsys.UDP]
//     behind the same API, without WebSocket.
//
// # Wake-ups
//
// gnet reads one UDP datagram each time that its loop wakes up, and waking up costs several times what receiving
// and sending do. On Linux the loop therefore sleeps for a moment after it woke up, and leaves what gathers in the kernel
// to the next Poll, which reads it in batches. Beside WebSocket, or when nobody polls, or the kernel's buffer is filling,
// the loop itself takes it then. The senders of [Listener.Senders], which a server uses, collect datagrams for one system
// call, as package batch does; what the kernel then refuses is counted in [Listener.SendErrors].
//
// WebSocket connections wake nothing up on Linux, once they have begun: a Poll asks the kernel which have something, and takes
// all that one has in one call. A sender writes what follows each other for one connection, up to its Flush, in one
// call too. At 60 messages up and 20 down a second and client, reading is 2 µs a message, and writing 6 to 7, of which the
// kernel's TCP has nearly all.
//
// Program internal/bench/packets says what a packet costs. For 1,000 clients with sessions, 100 bytes up and 400 down at
// 60 Hz for each, on a virtual machine, it is 3.2 µs of the server's processor, of which the kernel has two thirds; 3.0
// with package batch, and 6.0 when gnet wakes up for each datagram.
//
// [gnet]: https://pkg.go.dev/github.com/panjf2000/gnet/v2
package eventloop
