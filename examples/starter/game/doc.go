// Package game contains the inputs, components and rules of the game. Server and clients share it, so it does not depend
// on them, on a screen or on a socket.
//
//   - Choose the netcode model: [Model], one word.
//   - Change inputs and components: protocol.go, where each type and each rule is one line of [Protocol].
//   - Change the rules: rules.go.
//   - Add events: event.go, with [Events].
//   - Change the picture of the terminal, the window and the page in Go: look.go, with [Look].
//   - Add a bot, as the tests and the client in a terminal do: [Bot].
package game
