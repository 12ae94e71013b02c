// Package guard keeps handlers of a game from writing a world that is simulated again, and functions of
// rows from looking at one that several goroutines walk: [Guard].
package guard
