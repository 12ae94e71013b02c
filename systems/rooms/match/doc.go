// Package match finds rooms for players who wait: whole parties, by a function that a game may write. It knows neither
// network nor clock: time is an argument.
//
//   - Say who plays with whom: [Func], which gets [Input] and returns groups. [Rules] is the one for whom nothing else is
//     said, and Rules.Match what to try first in one's own.
//   - Keep who waits: [New], [Queue.Enter], [Queue.Leave], [Queue.Pause]; match them: [Queue.Run], once a second.
//   - Share who waits among the processes of a fleet, so that one of them matches for all: [Share].
//   - Give them seats: [Over] the seats of a process, or of a fleet; or another [Seater].
//
// Package systems/rooms/web does all of that by HTTP.
//
// # What holds
//
// A player waits once: whoever asks again takes over from its own request of before, and keeps its place in the queue. A
// party is matched when all its members wait, and gets its seats in one room, all or none. What a Func returns is checked
// before anybody gets a seat by it; groups that do not fit are left out, and their players wait on.
package match
