// Package game is a duel: two fighters side by side, for whom the order of blows is everything. Each peer simulates all of it from the
// inputs of both, which alone are sent; the server does no more than to pass them on.
//
//   - System "hit" needs exact order: it finds out for both what lands before it does anything about it. Whatever acts on both walks
//     them in order of NetID, never in that of storage, which differs between peers.
//   - [Login] says who fights and who watches: a spectator has no entity. Who comes takes over a bot's fighter, and gives it back.
//
// Under Rollback, the default, the own fighter answers at once; until the other one's keys are known they count as held, and when that was
// wrong every peer simulates the ticks since again. A blow can turn out never to have landed. Under Lockstep no tick is simulated before
// the inputs of both are there: nothing is ever wrong, and fighters answer after the slower one's round trip. Four times a second the
// server compares a checksum of each client's world with its own. One that differs is a bug of the game: ServerConfig.Desync tells
// component, field and system, and -force-rollback finds it before players do.
package game
