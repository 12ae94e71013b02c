// Package game is a snowball fight. It shows predicted spawns, lag-compensated hits, and how to find wrong predictions.
//
//   - System "throw" spawns snowballs within Simulate, with the thrower's components.Owner, so the thrower's client
//     predicts them. Both sides give them the same ecs.SpawnKey, by which the server's snowball replaces the predicted
//     one. If the server does not throw, because the player was hit first, the predicted snowball disappears. [Tally]
//     counts both cases.
//   - System "hit", of Authority, tests snowballs in the view that the thrower saw, with package lagcomp. [Claim] puts the
//     view into the input. [Struck] works on the server's view and on the view that a client draws.
//   - Under CorrectOnMismatch the server sends owner state only to correct it. Tolerances are coarser than steps: see
//     [Protocol].
//
// Predictions are wrong when a player is hit, because the victim's client cannot know it. So nearly all corrections have
// the cause Kid.Hit. With -drift, a rule depends on data outside of the world, which Simulate must not do: players slip by
// random numbers from a global generator. A replay gets other numbers than the first run, and the server other numbers
// than the client. The command prints the table of systems.Client.Causes, which then names the component and field:
// Position.X. With -force-rollback each tick is simulated twice, and the output also names the system.
package game
