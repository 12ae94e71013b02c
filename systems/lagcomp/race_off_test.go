//go:build !race

package lagcomp_test

const raceEnabled = false
