//go:build race

package outcome_test

const raceEnabled = true
