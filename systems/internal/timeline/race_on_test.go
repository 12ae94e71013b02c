//go:build race

package timeline_test

// raceEnabled says that the race detector is built in, which allocates.
const raceEnabled = true
