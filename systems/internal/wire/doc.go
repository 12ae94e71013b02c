// Package wire is every message of the netcode, as bytes: both ends read and write them
// here and nowhere else. It knows no session, no world and no model; docs/wire-format.md
// draws what it writes.
//
//   - Inputs, client to server: [Input], [InputCoder], and what a message may continue
//     from, [Bases]. Behind them the result of the newest, [Report].
//   - Snapshots, server to client: [SnapshotHeader], then blocks, [BlockHead].
//   - Values of components that a client writes: [ChangeCoder].
//   - What the server refused or granted: [Notice], [NoticeReader].
//   - The first word of the server: [Welcome].
//
// Everything that is read is hostile until it is checked: errors wrap [ErrMessage].
package wire
