// Package serverapply implements the system ServerApply: it decides which client inputs each tick
// of the server consumes, and sets the inputs of entities.
//
//   - Each tick runs once. Inputs are consumed in order, through a buffer or
//     on arrival: [New], [System].
//   - Each input is used in the tick that it is stamped with. Late inputs make the world
//     go back: [NewRewind], [Rewind].
//   - Both share reading messages, asking the game, and detecting clients that are too fast: [Intake],
//     [Config].
//   - The data of one client: [Intake.Join], [Intake.Leave], [Client]. The fields that snapshots send to it:
//     [Client.Ack].
//   - Save and load inputs that were not consumed: [System.Pending], [System.Restore], [Rewind.Resume].
//   - Counters of inputs: [Stats].
//
// The package reads packets of inputs and does not read the world. It sets the inputs of entities, and
// marks entities that take no step. It queues notices about inputs that are refused or too fast.
// The other parts of a message, such as results and the snapshot epoch, are returned to the
// receiver.
//
// The depth of a buffer follows the losses and delays of the link. slack.go measures them and asks
// the client to run faster or slower.
package serverapply
