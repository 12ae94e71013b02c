// Package snake draws the world of examples/snake. A death is shown at once, as what it is: it
// may still be withdrawn, and then the snake is back with a ring around its head. One that is
// final bursts.
package snake
