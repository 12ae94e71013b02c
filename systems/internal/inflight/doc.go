// Package inflight remembers what packets carried until they are acknowledged: [Ring].
package inflight
