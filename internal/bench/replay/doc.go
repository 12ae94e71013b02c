// Package replay records what the clients of a match send to its server, and sends it again to another one: the
// clients are not there then, and take no time. As all time is virtual and all random numbers follow from a seed, that
// server does what the first did, datagram by datagram; so what differs between two replays is what was made different.
//
//   - Describe a match, and record it: [Match], [Match.Record].
//   - Replay it, with so many workers: [Tape.Open], [Replay.Tick].
//   - Ask what came of it: [Replay.Told].
package replay
