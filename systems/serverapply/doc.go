// Package serverapply is the system ServerApply: it decides which inputs of clients each tick
// of the server consumes, and gives entities what their owners hold.
//
//   - Each tick runs once, inputs are consumed in the order of their sequence, by a buffer or
//     when they come: [New], [System].
//   - Each input is used in the tick that it is stamped with, and the world goes back for
//     those that come late: [NewRewind], [Rewind].
//   - What both share, reading messages, asking the game, and noting who is too fast: [Intake],
//     [Config].
//   - What is kept of one client: [Intake.Join], [Intake.Leave], [Client]; what snapshots tell of it:
//     [Client.Ack].
//   - What became of inputs: [Stats].
//
// It reads packets of inputs, and of the world nothing. It writes the inputs of entities, and
// which entities take no step; it queues notices about inputs that are refused or too fast.
// What else a message has, the results and the epoch that snapshots follow from, it hands
// back to who receives it.
//
// A buffer is as deep as the link's losses and delays call for: slack.go measures, and asks
// the client to run faster or slower.
package serverapply
