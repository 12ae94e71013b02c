// Package seats says who may sit where in a room: it knows no network, no clock and no lock.
//
//   - Make the seats of a room: [New].
//   - Promise seats to players who are on their way, all or none: [Book.Reserve]; another way to the seat that a player
//     has: [Book.Renew].
//   - Let in who comes: [Book.Asked], [Book.Admit], [Book.Enter]. Who leaves: [Book.Leave], [Book.Gone].
//   - Send away: [Book.Kick], [Book.Ban]. Free what nobody came for: [Book.Expire].
//
// What holds at any time: no player has two seats, no seat has two players, and no more are given away than there are.
// Each promise raises the epoch of its seat, and the newest alone lets in.
package seats
