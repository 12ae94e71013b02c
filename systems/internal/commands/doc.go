// Package commands is what players do to a world besides inputs.
//
//   - That they come, that they go and what they command stands in a [Log] by tick, which runs it at the begin of that
//     tick, again whenever the tick is simulated again.
//   - A client's commands, until the server has them: [Queue].
//   - What the server takes of them: [Desk], and of each client [Inbox].
package commands
