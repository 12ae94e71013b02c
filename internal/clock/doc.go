// Package clock turns the time of day, which can be set back or forward, into a clock that only advances.
package clock
