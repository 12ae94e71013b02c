// Package game is a top-down world of players and wandering, server-controlled
// entities. Without guns it is the reference workload that Tactus and its peers are
// measured on; with them it is a game.
//
//   - Protocol and rules: [Protocol].
//   - Server side: [Populate].
//   - A bot that plays: [NewBot].
//   - Guns: [CombatProtocol]; server side [Arm], [PopulateCombat]; a bot that
//     shoots [NewGunner].
//   - Chat and names, and what a client needs under any model: [Messages].
//   - Whom a shot would hit on a screen: [Aimed]; what came of it: [Verdict].
package game
