// Package roomstest has what tests of rooms share: a small game, [Field], and a [Fleet] of servers in one process.
package roomstest
