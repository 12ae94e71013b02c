// Package inflight remembers the contents of packets until they are acknowledged: [Ring].
package inflight
