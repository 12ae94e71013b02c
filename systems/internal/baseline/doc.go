// Package baseline is what the server knows of what one client holds of its snapshots: the
// states that a difference can be told from.
//
//   - One client: [Client]. What goes out to it is noted by [Client.Sent], what it
//     acknowledges by [Client.Acked], which epoch it asks for by [Client.Ask].
//   - Before a send: [Client.Renew], [Records.Grow] where it is told of all groups, or [Records.Tell] of each that comes into
//     sight, then what it may see, [Client.Hide] and [Client.LeaveOut], then [Client.LetGo] of what it need not hear of
//     any more, then [Client.Promise], which settles the floor.
//   - What to tell a group of slots from: [Group.Choose]; how entities came and went: [Ways].
//
// What holds: a client that has not asked for another epoch holds what is said here, down
// to the floor that was promised to it. An epoch begins with a client that holds nothing; a
// client asks for one where it cannot decode what arrived.
//
// It reads acknowledgements and what was told, and knows no world, codec or session.
package baseline
