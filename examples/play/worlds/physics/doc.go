// Package physics draws the balls and crates of examples/physics.
package physics
