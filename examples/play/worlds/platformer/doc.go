// Package platformer draws the world of examples/platformer: boxes, ramps and platforms in
// three dimensions, characters that walk and jump, coins, and beside the player's own
// character its ghost, which is where the server has it.
package platformer
