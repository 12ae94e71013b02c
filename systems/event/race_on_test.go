//go:build race

package event_test

const raceEnabled = true
