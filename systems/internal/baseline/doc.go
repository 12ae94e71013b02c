// Package baseline is what the server knows about the snapshots that one client holds: the states against which
// differences can be encoded.
//
//   - Create the record of a client: [New]. Note what is sent with [Client.Sent], what the client acknowledges
//     with [Client.Acked], and which epoch it requests with [Client.Ask].
//   - Before a send, call [Client.StartEpoch]. Then add records of groups, [Records.Grow] or [Records.Add], note what the
//     client may see, [Client.Hide] and [Client.LeaveOut], and end with [Client.ForgetHidden] and [Client.UpdateFloor].
//   - Choose the baseline of a group of slots: [Group.Choose]. Find the enter and leave reasons that a block needs: [Ways].
//
// Invariant: a client that has not requested another epoch holds what is recorded here, down
// to the floor that it was promised. At the start of an epoch a client holds nothing. A
// client requests one if it cannot decode what arrived.
//
// The package reads acknowledgements and what was sent. It knows no world, codec or session.
package baseline
