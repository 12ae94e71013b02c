// Package custom draws the yard of examples/custom: players who push each other, platforms,
// a door and power-ups. It is short: look here for how to draw a world of your own.
package custom
