// Package difference compares a client's world with its server's, for tests.
//
//   - Models that send snapshots: [Ends.Compare]. Models that relay inputs: [Timelines].
package difference
