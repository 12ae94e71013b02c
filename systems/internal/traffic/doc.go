// Package traffic is the accounts of what snapshots take, in bytes: by header, block, coder,
// component, field, archetype and entity.
//
//   - Encode a block of the world, measured now and then: [Meter.Block].
//   - Count what is sent: [Accounts.Header], [Accounts.Block], [Accounts.Snapshot].
//   - Read what that came to: [Accounts.Stats], [Accounts.Traffic], [Meters.Top],
//     [Meters.Archetypes].
//
// It reads blocks and states on their way, and changes none.
package traffic
