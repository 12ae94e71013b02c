// Package codec turns state into bytes and bytes back into state. It knows
// nothing of worlds, entities' meaning or sockets.
//
// Tasks, and where to find them:
//
//   - Pack values of odd widths into a message: [Writer], [Reader], [BitsFor].
//   - Read and write whole bytes and varints: [ByteReader], [AppendUvarint], [AppendVarint].
//   - Compare 16-bit sequence numbers and lift them to full ticks: [Newer], [Diff], [Lift].
//   - Code the entities of a snapshot against what the receiver holds: package
//     github.com/tactusgo/tactus/codec/delta.
//   - Describe a component once and derive its words from it: package
//     github.com/tactusgo/tactus/codec/schema.
//
// # Hostile input
//
// Everything that reads takes its bytes from strangers. A reader never panics,
// bounds every count by the bytes that are left or by a limit of its owner
// before it allocates, and answers with one of [ErrShort], [ErrMalformed],
// [ErrTooLarge] and [ErrBaseline], which work with errors.Is. Integers have one
// spelling: a varint longer than it need be is refused.
//
// # Memory
//
// The types here are scratch to be kept and used again. Once their buffers have
// grown to the size of the traffic, nothing allocates.
package codec
