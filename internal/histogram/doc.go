// Package histogram counts durations in a fixed amount of memory, within 3 %.
//
//   - All durations: [Histogram]. Those of the last minute: [Window].
package histogram
