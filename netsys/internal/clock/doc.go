// Package clock makes, of a time of day that may be set back or forward, one that only goes on.
package clock
