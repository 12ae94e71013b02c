// Package tally counts what the rooms of a kind do: [Counter] while they do it, [Tally] to be looked at.
package tally
