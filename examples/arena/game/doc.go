// Package game provides the arena: a top-down world of players and wandering, server-controlled entities. Without guns it
// is the reference workload for measurements of Tactus and of other libraries. With guns it is a game.
//
//   - Protocol and rules: [Protocol].
//   - Spawn the server's entities: [Populate].
//   - Add a bot: [NewBot].
//   - Play with guns: [CombatProtocol], [Arm] and [PopulateCombat] on the server, [NewGunner] for bots.
//   - Chat, rename players, and configure a client under any model: [Messages].
//   - Find the entity that a shot would hit: [Aimed]. Read the result of a shot: [Verdict].
package game
