// Package ownstate keeps what a server told clients of their own entities, at full precision.
//
//   - The state at one send, as groups: [Frame], begun by [Frame.Begin].
//   - Those of a client's newest sends: [Frames.Keep], [Frames.Read].
//   - Those that the client at hand is told differences to: [Scratch.At].
package ownstate
