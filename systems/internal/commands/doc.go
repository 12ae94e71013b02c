// Package commands implements joins, leaves and commands: everything that players do to a world
// besides inputs.
//
//   - [Log] stores joins, leaves and commands by tick and runs them at the start of their
//     tick, again whenever the tick is simulated again.
//   - [Receiver] receives commands on a server, with an [Inbox] for each client.
package commands
