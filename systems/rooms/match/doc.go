// Package match finds rooms for players who wait, whole parties together, by a function that a game may write. It knows no network and
// no clock: time is an argument.
//
//   - Decide who plays with whom: [Func] gets an [Input] and returns groups. [Rules] is the default; your own Func can call
//     Rules.Match first.
//   - Keep the waiting players: [New], [Queue.Enter], [Queue.Leave], [Queue.Pause]. Match them: [Queue.Run], once a second.
//   - Give them seats: [Over] the seats of a process or of a fleet, or your own [Seater].
//   - Use another queue, such as that of a fleet: [Waitlist].
//
// Package systems/rooms/web does all of this by HTTP.
//
// # Guarantees
//
// A player waits once: a second request replaces the first and keeps its place in the queue. A party is matched when all its members
// wait, and gets seats in one room, all or none. The queue checks the groups of a Func before it gives seats. It leaves out invalid
// groups, and their players wait on.
package match
