// Package saved encodes the state of a server for a save: the world, and what the server knows of its players.
//
//   - Encode and decode it: [State.Append], [Parse].
package saved
