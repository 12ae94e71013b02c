// Package needs is which systems of a schedule a model cannot do without, and in which order they stand.
//
//   - Refuse a schedule that lacks one: [Server], [Client].
//   - Let the game change a schedule, and refuse one in a wrong order: [Settle].
package needs
