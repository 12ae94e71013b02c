// Package game is the game itself: what players ask for, what there is, and the rules. Server and clients share it, so
// it knows neither of them, no screen and no socket.
//
//   - Choose the netcode model: [Model], one word.
//   - Change what travels: protocol.go, where each type and each rule is one line of [Protocol].
//   - Change what happens: rules.go.
//   - Change how it looks on every screen: look.go, with [Look].
//   - Play without hands, for tests and the client in a terminal: [Bot].
package game
