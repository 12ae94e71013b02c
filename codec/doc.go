// Package codec encodes state as bytes and decodes it. It depends on neither worlds nor sockets.
//
//   - Pack values of any bit width into a message: [Writer], [Reader], [BitsFor].
//   - Read and write whole bytes and varints: [ByteReader], [AppendUvarint], [AppendVarint].
//   - Compare 16-bit sequence numbers and extend them to full ticks: [Newer], [Diff], [Lift].
//   - Encode the entities of a snapshot against a state that the receiver has: package codec/delta.
//   - Describe a component and derive its encoding: package codec/schema.
//   - Compress a file: package codec/compression.
//
// # Hostile input
//
// All readers accept untrusted bytes. A reader never panics on them. Before it allocates, it limits every count by the
// number of bytes left or by a limit that its user sets. It returns one of [ErrShort], [ErrMalformed], [ErrTooLarge] and
// [ErrBaseline]; test for them with errors.Is. Each integer has exactly one valid encoding: readers reject varints that are
// longer than necessary.
//
// # Memory
//
// Reuse the types of this package. They allocate nothing once their buffers have reached the size of the traffic.
package codec
