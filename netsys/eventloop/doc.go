// Package eventloop is the UDP server wire: a [gnet] event loop behind [netsys.Wire]. Only servers import it,
// so that clients link nothing of gnet. What [Listen] returns goes to [netsys.NewServer].
//
// # Index of tasks
//
//   - Listen with the defaults: [Listen]. With sizes or a logger: [ListenConfig.Listen].
//   - Learn which port was taken for "127.0.0.1:0": [Listener.LocalAddr].
//   - See whether polls come too seldom: [Listener.Dropped].
//   - Stop: [Listener.Close]; the port is free when it returns.
//
// # What holds
//
//   - One port has one listener: a second one gets an error, also from another process.
//   - IPv4 peers have IPv4 addresses, also on a socket that serves both families.
//   - Sending allocates nothing and never blocks. Receiving costs the five allocations that gnet makes for
//     each datagram, and none of ours.
//   - On systems without a native event loop in gnet (Windows among them) the listener is a [netsys.UDP]
//     behind the same API.
//
// [gnet]: https://pkg.go.dev/github.com/panjf2000/gnet/v2
package eventloop
