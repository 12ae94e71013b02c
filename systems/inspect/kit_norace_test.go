//go:build !race

package inspect

// raced says that the race detector makes everything ten times slower.
const raced = false
