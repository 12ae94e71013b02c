//go:build race

package systems

// raced says that the race detector makes everything ten times slower.
const raced = true
