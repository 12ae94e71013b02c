// Package guard keeps handlers of a game from writing a world that is simulated again: [Guard].
package guard
