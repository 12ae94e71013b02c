// Package sendto sends datagrams on non-blocking sockets without allocating and without waiting. In contrast, package net
// waits for room in the send buffer, and gnet allocates five times per datagram. The package is empty on systems other than
// Unix.
package sendto
