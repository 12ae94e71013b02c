// Package batch is the UDP server wire for Linux servers with many clients: one socket that nobody waits for.
// [Listener.Poll] takes in what arrived since the last tick, up to 64 datagrams per system call (recvmmsg);
// what is sent is collected and leaves 64 per call (sendmmsg). No goroutine wakes up for a datagram, which is
// what an event-driven server spends most of its time on. What [Listen] returns goes to [netsys.NewServer].
//
// # Index of tasks
//
//   - Listen with the defaults: [Listen]. With sizes: [ListenConfig.Listen].
//   - Learn which port was taken for "127.0.0.1:0": [Listener.LocalAddr].
//   - Send a tick's datagrams now: [netsys.Server.Flush], or [Listener.Flush] without a server.
//   - See whether polls come too seldom or buffers are too small: [Listener.Dropped],
//     [Listener.SendErrors], [Listener.Stats].
//   - Stop: [Listener.Close]; the port is free when it returns.
//
// # What holds
//
//   - One port has one listener: a second one gets an error, also from another process.
//   - IPv4 peers have IPv4 addresses, also on a socket that serves both families.
//   - Arrivals carry the kernel's time stamp, so that waiting for the tick does not count as round trip time.
//   - Nothing blocks, and neither direction allocates.
//   - A poll takes in no more than is configured, however much arrives.
//   - ICMP errors, which anybody can forge, change nothing.
//   - What waits for a flush leaves with the next Poll, or with Close, if nobody flushes.
//
// # The kernel's buffers
//
// Between two polls arrivals wait in the kernel's receive buffer, where a small datagram takes about 800 bytes.
// Linux gives 208 KiB unless net.core.rmem_max or the right to ignore it (CAP_NET_ADMIN) allows more:
//
//	sysctl -w net.core.rmem_max=4194304 net.core.wmem_max=4194304
//
// On other systems [Listen] returns an error; package eventloop serves there.
package batch
