// Package tally prints counts that have names: what was dropped, by reason.
package tally
