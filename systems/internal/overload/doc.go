// Package overload decides what a server gives up while its ticks take longer than there is time,
// and when newcomers are turned away so that it need not.
//
//   - When and by what: [Policy].
//   - Measure wake-ups: [Control.Begin], [Control.End].
//   - What is given up, in the order of [Step], is told to the hooks of [Config]; where it stands:
//     [Control.Status].
//   - How long they took lately: [Control.Times].
//   - Log that ticks were dropped: [Behind].
//   - Turn newcomers away: [Control.Guard].
//
// Nothing here reads a clock of its own: without one nothing is ever given up, so that a match in
// virtual time stays a function of its seed.
package overload
