// Package guide is the game that the pages of docs/guide quote: two teams of tanks with shells, flags to carry, mines
// that only their own team sees, names, and chat. The game is complete. Its test plays it under all six netcode models.
//
//   - Components and rows: components.go.
//   - Rules: rules.go.
//   - Players who join, leave and send commands: players.go.
//   - Protocol, events, and the configurations of server and client: game.go.
//   - Drawing: draw.go.
package guide
