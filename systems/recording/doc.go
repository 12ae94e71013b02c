// Package recording stores what a client received, to play it again: a match as a spectator or a player saw it. A server records by
// systems.Server.Record, a client by ClientConfig.Record. systems.NewReplay plays a recording as a client.
//
//   - Record to a file: [Create]; to any writer: [NewWriter]. Keep only the last seconds, in memory: [NewRing].
//   - Open a recording: [Open], [OpenFile]. Find out what it holds: [Reader.Header], [Reader.Duration].
//
// # Format
//
// A recording is a sequence of chunks. A chunk is a zstd skippable frame, the head, and a zstd frame with a checksum, the body, so that
// zstd -d prints all bodies. Numbers are little-endian:
//
//	head     magic u32 = 0x184D2A5A | 30 | "TREC" | version u8 = netsys.WireVersion | kind u8 | body u32 | content u32 | start u64 | number u64
//	trailer  magic u32 = 0x184D2A5A | 12 | "TREX" | offset of the index u64
//
// body and content are the lengths of the body and of its content in bytes. start is the time of a segment since the beginning of
// the recording in nanoseconds, and number counts chunks. The first chunk, of kind 1, is the header. Chunks of kind 2 are
// segments. The last one, of kind 3, is the index, and the trailer follows. A recording without index, of a process that was killed,
// is read by its heads, and ends with its last whole chunk.
//
//	header  protocol | model | sight uvarint | began u64, Unix time in ns | number of lines uvarint | lines; texts have their length before
//	index   duration uvarint | for each segment: size of its chunk uvarint, start uvarint
//
// A segment starts with a full state, so a client can begin to play with any segment, and it can go on from the segment before. Its
// content is the session's number as uvarint, the length of the welcome as uvarint and its bytes, and records:
//
//	time since the record before in ns, uvarint | kind u8 | fields
//
//	1 datagram  change of the sequence number, varint | length uvarint | bytes
//	2 message   channel u8 | length uvarint | bytes
//	3 check     u64, the hash of the view that the spectator drew at this time
//
// To kind, 128 is added if the record is only for a client that begins with this segment.
package recording
