// Package game is a duel of two fighters in which the order of blows decides. Each peer simulates the whole match from the
// inputs of both players. Only inputs are sent; the server relays them.
//
//   - System "hit" needs an exact order. It first determines the blows that land for both fighters, and then applies them.
//     Systems that act on both fighters iterate in the order of NetIDs, because storage order differs between peers.
//   - [Login] says whether a player fights or watches. A spectator has no entity. A joining player replaces a bot, which
//     gets its fighter back when the player leaves.
//
// Under Rollback, the default, a player's own fighter reacts immediately. The other player's keys are assumed to stay held
// until the input arrives. If the input differs, every peer simulates the ticks since then again, and a blow can turn out
// not to have landed. Under Lockstep a tick is simulated only when both inputs have arrived. Then nothing is ever wrong, but
// fighters react after the round trip of the slower player. Four times per second the server compares a checksum of each
// client's world with its own. A different checksum is a bug of the game: policy.Rollback.Desync reports the component, field
// and system. -force-rollback finds such bugs during development.
package game
