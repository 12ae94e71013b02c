//go:build race

package relay_test

// raceEnabled says that the race detector is built in, which allocates.
const raceEnabled = true
