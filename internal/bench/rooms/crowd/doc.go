// Package crowd is the players of the benchmarks of rooms, one process of them or a fleet: who asks for seats over HTTP, who
// plays, and what they were given.
//
//   - What the flags say: [Options].
//   - The game, and a kind of room that plays it: [Field], [Options.Kind].
//   - Let something go wrong in some rooms: [Trouble].
//   - Be a process with rooms, that its parent asks: [Serve]. Be the parent: [Start], [Process].
//   - Measure: [Play], which returns a [Report].
//   - Ask for a seat: [Asker]. Write down who was given what, and count what contradicts itself: [Ledger].
//   - Let those who were given a seat come, stay and go: [Guests].
package crowd
