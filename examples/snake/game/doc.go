// Package game is a game of snakes that cut each other off: who runs into somebody dies. Whether one did is a matter
// of a tick or two, so inputs count in the tick that they were for, and the server rewrites the last 0.3 seconds when one
// comes late (policy.ServerRewind). What becomes of a death:
//
//   - Simulate finds it, on the server, and on a client for its own snake. Snake.Dead counts up, and pictures show that.
//   - An input comes late: the snake had turned away. The server goes back, and the death is gone with all that followed
//     from it, because all that is state. Pictures show the snake again.
//   - No input can change it any more: the outcome is committed, and the server raises the event [Fallen], which is
//     what players are told for good. Only after that, [Away], do dead snakes come back.
//
// A client is corrected where it did not know what others did, and nowhere else.
package game
