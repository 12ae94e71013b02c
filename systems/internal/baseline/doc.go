// Package baseline is what the server knows about the snapshots that one client holds: the states against which
// differences can be encoded.
//
//   - Create the record of a client: [New]. Note what is sent with [Client.Sent], what the client acknowledges
//     with [Client.Acked], and which epoch it requests with [Client.Ask].
//   - Before a send, call [Client.StartEpoch]. Then add records of groups, [Records.Grow], note what is left out,
//     [Client.LeaveOut] and [Client.Hide], and end with [Client.UpdateFloor].
//   - Choose the baseline of a group of slots: [Group.Choose].
//
// Invariant: a client that has not requested another epoch holds what is recorded here, down
// to the floor that it was promised. At the start of an epoch a client holds nothing. A
// client requests one if it cannot decode what arrived.
//
// The package reads acknowledgements and what was sent. It knows no world, codec or session.
package baseline
