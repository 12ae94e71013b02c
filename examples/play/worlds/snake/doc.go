// Package snake draws the world of examples/snake. It shows a death immediately, marked as provisional. If the server
// withdraws the death, the snake returns with a ring around its head. A snake whose death is final bursts.
package snake
