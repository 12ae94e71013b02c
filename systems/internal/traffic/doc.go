// Package traffic counts the bytes of snapshots by header, block, coder, component, field, archetype and entity.
//
//   - Encode a block of the world and measure some of them: [Meter.Block].
//   - Count what is sent: [Accounts.Header], [Accounts.Block], [Accounts.Snapshot].
//   - Read the results: [Accounts.Stats], [Accounts.Traffic], [Meters.Top], [Meters.Archetypes].
//
// The package reads blocks and states. It changes neither.
package traffic
