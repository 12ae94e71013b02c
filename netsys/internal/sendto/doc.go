// Package sendto sends datagrams on non-blocking sockets without allocating, which the net package does only
// by waiting for room in the send buffer and the gnet package only with five allocations. It is empty on
// systems that are not Unix.
package sendto
