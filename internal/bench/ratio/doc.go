// Package ratio provides measurement and reporting for the benchmark programs:
//
//   - Compare two or more sides: [Medians], [Placed].
//   - Report figures as one JSON object or as a table: [Main], [Figure].
//
// A figure is a ratio of medians. The sides take short turns, A B A B, so that other load on the machine slows all of them
// equally. The median excludes rounds in which only one side was slowed.
package ratio
