// Package baseline records which states one client has acknowledged. The server encodes differences against these states.
//
//   - Create the record of a client: [New]. Record what is sent with [Client.Sent], what the client acknowledges
//     with [Client.Acked], and which epoch it requests with [Client.Ask].
//   - Before a send, call [Client.StartEpoch]. Then add records of groups with [Records.Grow], record what is left out
//     with [Client.LeaveOut] and [Client.Hide], and end with [Client.UpdateFloor].
//   - Choose the baseline of a group of slots: [Group.Choose].
//
// Invariant: a client that has not requested another epoch stores all states that are recorded here, from the floor of the
// newest packet on. At the start of an epoch a client stores none. A client requests another epoch if it cannot decode a packet.
//
// The package reads acknowledgements and what was sent. It depends on no world, codec or session.
package baseline
