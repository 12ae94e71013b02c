// Package game is a game of snakes that cut each other off: a snake that runs into another one dies. One or two ticks
// decide whether it dies, so the server applies each input in the tick that the input names. When an input arrives late,
// the server simulates up to the last 0.3 seconds again (policy.ServerRewind). A death passes these stages:
//
//   - Simulate detects the death on the server, and on a client for its own snake. Snake.Dead counts up, and the picture
//     shows the death.
//   - A late input may show that the snake had turned away. The server then rewinds, and the death and its consequences
//     disappear, because they are state. The picture shows the snake again.
//   - When no input can change the death any more, the outcome is committed. The server raises the event [Fallen], which
//     is final. Dead snakes come back after that: see [Away].
//
// A client is corrected only when it did not know the inputs of others.
package game
