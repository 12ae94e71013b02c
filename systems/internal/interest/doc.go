// Package interest is what clients may know of the world, as data: places, rooms and teams,
// and questions of the game's own.
//
//   - Say it: [Grid], [Same], [Filter], [Has], [And], [Or], [HiddenUnless].
//   - Make it ready for a world: [Compile].
//   - At each send, once for all clients: [Program.Begin] reads the captured world. Which
//     entities share a group is asked before, while it is captured: [Program.Table],
//     [Program.Home].
//   - What one client sees of that send: [Program.See], with what it keeps in [Client].
//   - Between sends: [Program.Sees].
//
// An operand says yes or no of an entity, or nothing: a Grid says nothing of what has no place.
// And asks that none says no, Or that one says yes, and what all say nothing of is seen. What
// belongs to a client it sees always.
//
// It reads the world and frames, and writes neither. Begin belongs to the world's goroutine;
// after it, See may run for several clients at the same time.
package interest
