// Package game is the game itself: what players ask for, what there is, and the rules. Server and page share it: the
// page runs it as WebAssembly, and draws what it says. So it knows neither of them, no screen and no socket.
//
//   - Choose the netcode model: [Model], one word.
//   - Change what travels: protocol.go, where each type and each rule is one line of [Protocol]; the page's types follow.
//   - Change what happens: rules.go.
//   - Play without hands, for tests: [Bot].
package game
