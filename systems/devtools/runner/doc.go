// Package runner provides the command of a game: a server and bots in one process, over real sockets or in virtual
// time over a memory network, with flags for the link and the netcode model, a live table, and a report as one JSON
// object. Use it to compare worlds, models and versions.
//
//   - See a whole small game: the example of the package.
//   - Describe a game: [Game]. Create its bots: [NewBot], or your own [Bot], which may implement [Shower] and
//     [Configurer].
//   - Run the command: [Main].
//   - Play the game in a test and read the [Report]: [Headless].
//   - Prove that the game was played, with the game's own figures: Game.Proof.
//   - Listen on real sockets: Game.Listen, with [Wire]. The runner itself links no event loop of a server and builds
//     for browsers.
//   - Show an inspector: Game.Inspect.
//   - Let others play with the bots, over your own transport: [LiveOn].
//   - Play many matches in rooms, with a lobby: Game.Rooms.
//   - Record samples of snapshots, train statistics on them, and play with the result: -samples, -trained. Record a match and play it: -record, -replay.
package runner
