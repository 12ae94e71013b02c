// Package tally formats named counters, such as drops by reason.
package tally
