// Package interest decides which entities and components a client may see: by distance, by room or team, or by a function of
// the game.
//
//   - Describe an interest: [Grid], [Same], [Filter], [Has], [And], [Or], [HiddenUnless].
//   - Compile it for a world: [Compile].
//   - Tell the capture which components not every client may see: [Program.RestrictedSets].
//   - At each send, once for all clients, read the captured world: [Program.Begin].
//   - At each send, find what one client sees: [Program.See], [Program.Mask]. [Client] holds the state of that client.
//   - Between sends: [Program.Sees].
//
// An operand answers yes or no for an entity, or does not apply to it: a Grid does not apply to an entity without a position.
// And requires that no operand answers no, Or that one answers yes. An entity to which no operand applies is seen. A
// client always sees its own entities.
//
// The package reads the world and frames, and writes neither. Begin belongs to the world's goroutine;
// after it, See may run for several clients at the same time.
package interest
