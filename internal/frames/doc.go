// Package frames turns a world into frames: the replicated state of all
// entities at one send, quantized, in groups of 64 slots, once for all clients.
//
//   - Capture a world at each send and find older captures: [Ring].
//   - Read a capture: [Frame].
//
// Frames contain no components that only the owner of an entity may see.
package frames
