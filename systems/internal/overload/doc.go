// Package overload decides what a server gives up while its ticks take longer than the available time,
// and when it refuses new players to prevent that.
//
//   - Configure it: [Policy].
//   - Measure wake-ups: [Control.BeginWakeUp], [Control.EndWakeUp].
//   - The control applies a [Step] through the hooks of [Config]. Its current state:
//     [Control.Status].
//   - Durations of recent wake-ups: [Control.Times].
//   - Log dropped ticks: [DropLog].
//   - Refuse new players: [Control.Guard].
//
// The package reads no clock of its own. Without a clock nothing is given up, so that a match in
// virtual time is a function of its seed.
package overload
