// Package inflight remembers the contents of packets until they are acknowledged: [Ring]. [List] delivers entries
// exactly once and in order in addition to unreliable datagrams.
package inflight
