// Package outqueue is the bounded queue of datagrams that wait for a connection. When the queue is full, a new datagram
// replaces the oldest.
package outqueue
