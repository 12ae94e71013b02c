// Package duel draws the duel of examples/duel.
package duel
