// Package game is a platformer in three dimensions under policy.Buffered, without corrections:
//
//   - The rules read the player's own state, its input, the level and World.Tick. On a client, World.Tick is the server's
//     tick that will consume the input. Other players are no obstacles.
//   - A rider's place is relative to the platform. It stays right when the server holds a player back for a tick, and
//     wherever the platform is drawn.
//   - Both sides round to the sent precision after each step. The server decides who gets a coin, and sends it as an event.
package game
