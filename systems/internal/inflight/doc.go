// Package inflight remembers what packets carried until they are acknowledged: [Ring]. What must arrive, each once
// and in order, beside datagrams that need not is a [List].
package inflight
