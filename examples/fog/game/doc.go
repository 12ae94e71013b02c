// Package game is a game of two teams that shows interest management: each client knows only what its team sees. Players
// have view cones, walls block them, and a player whom an opponent touches from outside of the cone goes back to the base.
//
//   - vision.go has the eyes and the rules: a grid around the team, a filter for cones and walls, and HiddenUnless.
//   - game.go has the players, bot.go the bots.
//
// With -truth, the page can open a second connection that sees everything and shows hidden players as ghosts. Without it
// the server refuses such connections.
package game
