// Package game is a snowball fight: predicted spawns, hits where the thrower saw them, and how to find out which prediction is wrong.
//
//   - System "throw" spawns snowballs within Simulate, with the thrower's components.Owner: the thrower's client predicts them, and both
//     sides give them the same ecs.SpawnKey, by which the server's takes over the predicted one. One that the server does not throw, as
//     the player had been hit, goes without a trace. [Tally] counts both.
//   - System "hit", of Authority, asks package lagcomp for what the thrower saw. [Claim] puts that into the input; [Struck] is the same
//     function for the server's view and for what a client draws.
//   - Under CorrectOnMismatch own state is sent to correct it only; tolerances are coarser than steps, see [Protocol].
//
// Predictions are wrong when somebody is hit, which the victim's client cannot know: nearly all corrections are put down to Kid.Hit. With
// -drift a rule breaks the law that Simulate depends on the world alone: players slip by numbers from a generator that goes on, so a
// replay draws others than the first run, and the server others than the client. The table of systems.Client.Causes, which the command
// prints, then names component and field: Position.X. With -force-rollback each tick is simulated twice, and the system has a name too.
package game
