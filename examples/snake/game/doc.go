// Package game is a game of snakes that cut each other off: who runs into somebody dies. Whether
// one did is a matter of a tick or two, so inputs count in the tick that they were for, and the
// server rewrites the last 0.3 seconds when one comes late (policy.ServerRewind). It shows how to
// live with that: a death is provisional until no input can change it.
//
//	snake.go  the snake: steering, its body, running into things
//	food.go   what the server alone decides: food, growth, who killed whom
//	world.go  the protocol, outcomes and events, and the game for package runner
//	bot.go    bots that hunt, and swerve late
//
// What becomes of a death:
//
//   - Simulate finds it, on the server, and on the client for its own snake: Snake.Dead counts up,
//     and outcome.Raise says so. Snapshots tell of it, and pictures show it, fading.
//   - An input comes late: the snake had turned away. The server goes back, and the death is
//     gone, with all that followed from it, because all that is state. Pictures show the snake again.
//   - No input can change it any more: the outcome is committed. Only then does the server raise
//     the event [Fallen], which is what players are told for good.
//   - Dead snakes come back after [Away], which is longer than the window: what has come back never
//     has to be taken away.
//
// A client is corrected where it did not know what others did: a snake that it ran into, or that
// was not there any more. Its own snake on open ground is always where it thinks.
package game
