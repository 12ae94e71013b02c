// Package outqueue holds the datagrams that wait for a connection to write them: a bounded queue, from which the oldest goes
// when one more is put.
package outqueue
