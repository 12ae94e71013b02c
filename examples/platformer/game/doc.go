// Package game is a platformer in three dimensions: characters that walk, jump, climb slopes and
// ride moving platforms, for a server that wakes 20 times a second and simulates three steps each
// time (policy.Buffered). It shows how a client can be right about all that, through any link:
// nobody is ever corrected.
//
//	level.go  boxes and ramps; platforms, whose place is a function of the time
//	body.go   the character: input with the camera's yaw, walking, jumping, landing, riding
//	coin.go   coins and the bell, which are the server's, and the news of them
//	world.go  the protocol, and the game for package runner
//	bot.go    bots that go on tours
//
// Why nobody is corrected:
//
//   - The rules read the player's own state, its input, the level and World.Tick, which on a client
//     is the server's tick that its input will be consumed in. What others do hinders nobody.
//   - Who rides has its place on the platform, not in the world. It stays right when the server
//     holds a player back for a tick, and wherever the platform is drawn by then.
//   - Both sides round to what travels after each step (Protocol.QuantizeSteps), so that no
//     difference of a rounding adds up.
//   - Who gets a coin is the server's to say. Everybody hears the chime once, by an event, and sees
//     by the state that the coin is gone.
package game
