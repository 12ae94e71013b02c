// Package histogram counts durations in a fixed amount of memory, within 3 %.
//
//   - All of them: [Histogram]. Those of the last minute: [Window].
package histogram
