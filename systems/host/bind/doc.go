// Package bind describes what a host reads and writes of a game, for generators of bindings in other languages: which
// components, inputs, commands, messages, events and outcomes there are, and where each value lies in memory. It is data
// about types, in a fixed order: the same protocol gives the same description.
//
//   - Describe a game: [Describe], [Model].
//   - Walk what a value is made of: [Struct], [Field], [Type].
//   - Tell which line of two protocols differs first, so that bindings of another protocol are refused: [Differs].
package bind
