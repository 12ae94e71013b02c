// Package sendto sends datagrams on non-blocking sockets without allocating and without waiting. Package net waits for room
// in the send buffer; gnet allocates five times per datagram. This package is empty on systems other than Unix.
package sendto
