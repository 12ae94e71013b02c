// Package travel is how a server sends a client to another room, as far as both ends need it: the message, and how often a
// client follows. It knows no room and no world.
//
//   - Write where to go on, and tell it a client in parts, as notices: [Ticket.Append], [Tell].
//   - Put parts together again, and read them: [Journey.Take], [ParseTicket].
//   - Follow, while the session at hand goes on: [Guide]. No more often than an honest game asks for: [Journey.Follow].
//   - Add up what was counted in one room after the other: [Sum].
//
// Everything that is read is hostile until it is checked: errors wrap [ErrTicket].
package travel
