// Package ratio is what the benchmark programs measure and report with:
//
//   - Measure two or more sides against each other: [Medians], [Placed].
//   - Report figures as one JSON object or as a table: [Main], [Figure].
//
// A figure is a ratio of medians. The sides take turns, A B A B, for a short
// while each, so that whatever else the machine does slows all of them alike, and
// the median leaves out the rounds in which it slowed one.
package ratio
