// Package wire encodes and decodes every message of the netcode, for both ends. It uses no
// session, world or model. docs/spec/wire-format.md shows the formats.
//
//   - Inputs, client to server: [Input], [InputCoder], and the states from which messages
//     continue, [Bases]. The result of the newest input follows: [Report].
//   - Snapshots, server to client: [SnapshotHeader], then blocks, [BlockHead]. A [Set] says which entities a block contains.
//   - Values of components that a client writes: [ChangeCoder].
//   - Refusals and tickets of the server: [Notice], [NoticeReader].
//   - The first message of the server: [Welcome].
//
// Received bytes are hostile until they are validated. Errors wrap [ErrMessage].
package wire
