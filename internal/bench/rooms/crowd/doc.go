// Package crowd simulates the players in the benchmarks of rooms, for one process or a fleet: seat requests over HTTP,
// sessions, and a record of assigned seats.
//
//   - Parse flags: [Options].
//   - Define the game and its kind of room: [Field], [Options.Kind].
//   - Inject faults into rooms: [Trouble].
//   - Run as a process with rooms, controlled by its parent: [Serve]. Run as the parent: [Start], [Process].
//   - Measure: [Play], which returns a [Report].
//   - Request a seat: [Asker]. Record the assigned seats and count contradictions: [Ledger].
//   - Let players with a seat connect, stay and leave: [Guests].
package crowd
