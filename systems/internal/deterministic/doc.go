// Package deterministic is rollback and lockstep: every peer simulates everything from the
// inputs of all players, which package relay brings.
//
//   - What datagrams and messages of package relay are wrapped in: [Datagram], [Message], [BulkChannel].
package deterministic
