// Package commands is what players do to a world besides inputs: that they come, and that they go. It stands in a
// [Log] by tick, which runs it at the begin of that tick, again whenever the tick is simulated again.
package commands
