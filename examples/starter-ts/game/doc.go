// Package game contains the inputs, components and rules of the game. Server and page share it: the page runs it as
// WebAssembly and draws its state. So it does not depend on either, on a screen or on a socket.
//
//   - Choose the netcode model: [Model], one word.
//   - Change inputs and components: protocol.go, where each type and each rule is one line of [Protocol]; the page's types follow.
//   - Change the rules: rules.go.
//   - Add a bot, as the tests do: [Bot].
package game
