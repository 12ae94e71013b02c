// Package guide is the game that the pages of docs/guide quote: tanks in two teams, shells, flags that are
// carried, mines that only their own team sees, names, and chat. It is a whole game under any netcode model, and
// its test plays it under all six.
//
//   - What there is: components.go.
//   - The rules: rules.go.
//   - Who comes, goes and asks for something: players.go.
//   - Protocol, events, and the configurations of server and client: game.go.
package guide
