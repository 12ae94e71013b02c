// Package runner makes a command of a game: a server and bots in one process, over real sockets or, in
// virtual time, over a memory network, with flags for the link and the netcode model, a live table, and one
// JSON object that says what happened. So worlds, models and versions can be compared.
//
//   - A whole small game: the example of the package.
//   - Describe a game: [World]. Its bots: [NewBot], or a [Bot] of one's own that may be a [Shower] and a [Configurer].
//   - Make it a command: [Main].
//   - Play it in a test, and look at the [Report]: [Headless].
//   - Say what is the game's own proof that it was played: World.Proof.
//   - Listen on real sockets: World.Listen, with [Wire]. The runner itself links none of the servers' event
//     loops, and builds for browsers.
//   - Show an inspector: World.Inspect.
//   - Play with others beside the bots, on a wire of one's own: [LiveOn].
//   - Play in a window of the same program, with bots: [Host].
//   - Record what snapshots tell, train on it, and play with that: -record, -trained.
package runner
