// Package batch is a UDP transport for Linux servers with many clients. [Listener.Poll] reads the datagrams that arrived
// since the last tick, up to 64 per system call (recvmmsg). Outgoing datagrams are collected and sent 64 per call
// (sendmmsg). No goroutine wakes up for a datagram; an event-driven server spends most of its time on such wake-ups. Pass
// the result of [Listen] to [netsys.NewServer].
//
// # Index of tasks
//
//   - Listen with the defaults: [Listen]. With sizes: [ListenConfig.Listen].
//   - Find the port chosen for "127.0.0.1:0": [Listener.LocalAddr].
//   - Send a tick's datagrams now: [netsys.Server.Flush], or [Listener.Flush] without a server.
//   - Check whether polls are too rare or buffers too small: [Listener.Dropped], [Listener.SendErrors], [Listener.Stats].
//   - Stop: [Listener.Close]; the port is free when it returns.
//
// # Guarantees
//
//   - A port has one listener. A second listener gets an error, also in another process.
//   - IPv4 peers have IPv4 addresses, also on a socket that serves both families.
//   - Arrivals carry the kernel's time stamp, so the wait for a tick does not count as round-trip time.
//   - No call blocks. Reading and sending allocate nothing.
//   - A poll reads at most PollLimit datagrams, however many arrive.
//   - ICMP errors, which anybody can forge, have no effect.
//   - Without a call of Flush, the next Poll or Close sends the collected datagrams.
//
// # The kernel's buffers
//
// Between two polls, arrivals wait in the kernel's receive buffer, where a small datagram takes about 800 bytes. Linux
// grants 208 KiB unless net.core.rmem_max or CAP_NET_ADMIN allows more:
//
//	sysctl -w net.core.rmem_max=4194304 net.core.wmem_max=4194304
//
// On other systems [Listen] returns an error; use package eventloop.
package batch
