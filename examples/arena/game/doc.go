// Package game is a top-down world of players and wandering, server-controlled
// entities: the reference workload that Tactus and its peers are measured on.
//
//   - Protocol and rules: [Protocol].
//   - Server side: [Populate], [Join].
//   - A bot that plays: [NewBot].
package game
