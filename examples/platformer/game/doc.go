// Package game is a platformer in three dimensions under policy.Buffered, in which nobody is ever corrected:
//
//   - The rules read the player's own state, its input, the level and World.Tick, which on a client is the
//     server's tick that its input will be consumed in. What others do hinders nobody.
//   - Who rides has its place on the platform, not in the world: it stays right when the server holds a player
//     back for a tick, and wherever the platform is drawn by then.
//   - Both sides round to what travels after each step. Who gets a coin is the server's to say, by an event.
package game
