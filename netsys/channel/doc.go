// Package channel carries messages over packets that can be lost: reliable or unreliable, ordered or unordered, fragmented if
// they are long, within a send budget, by priority. An [Endpoint] is one end of a connection, a state machine without
// goroutines, clock or I/O. It sits between a session, which numbers packets and receives acknowledgements, and the game.
//
// # Index of tasks
//
// For a game:
//
//   - Choose channels: [Config], [ChannelConfig], [Kind], [DefaultChannels]. A zero Config is valid. [Control] is built in.
//   - Send bytes: [Endpoint.Send]. Handle a refusal: [ErrFull], [ErrTooLarge].
//   - Send values: [NewRegistry], [Register], [Type.Send]. Receive them: [NewDispatcher], [Handle], [Dispatcher.Deliver].
//   - Fit a snapshot into the current budget: [Endpoint.Allowance] for a datagram of the session, [Endpoint.Available] for a
//     channel.
//   - Notice a peer that is too slow: Stalled in [Stats], [ErrFull].
//   - Measure: [Endpoint.Stats], [Endpoint.Channel].
//   - Continue in another session: [Endpoint.Unacked], [Endpoint.Delivered].
//
// For a session: [New], [Endpoint.Carried], [Endpoint.Fill], [Endpoint.Acked], [Endpoint.Receive], [Config.Lines],
// [Registry.Lines].
//
// # Duties of a session
//
// A session has one Endpoint from its start to its end. A changed address or an outage that ends changes nothing here, and
// reliable streams continue.
//
//  1. In the handshake, compare [Config.Lines] and [Registry.Lines] as lines of the schema.
//  2. For each packet that arrives, once and in the order of arrival: call [Endpoint.Acked] for each number that the packet
//     acknowledges for the first time, then [Endpoint.Receive] with its payload, if it has one. Skip duplicates, and packets
//     that [MaxOvertaken] others overtook. Count errors, and end the session above a limit.
//  3. For each packet to send, keep-alives included: call [Endpoint.Carried] with the other bytes of the packet, headers
//     included, then [Endpoint.Fill] with the packet's number and the remaining room. Fill returns the payload, which may be
//     empty.
//  4. After the packet of the tick, call Fill and send until Fill appends nothing. These packets carry bulk data. The budget
//     ends the loop.
//  5. If the wire refuses a packet, do nothing: the packet counts as lost.
//
// As a loop at the end of a tick, where next is the number of the next packet:
//
//	for first := true; ; first = false {
//		b := endpoint.Fill(now, next, buf[:0], maxPayload)
//		if len(b) == 0 && !(first && keepAliveDue) {
//			break
//		}
//		send(now, b) // as packet next, which is then one more
//	}
//
// Acknowledgements should cover as many packets as the peer sends between two of ours. 32 bits at 60 packets a second allow 33
// packets a tick, about 2 MB/s.
//
// # Guarantees
//
//   - A message is delivered at most once. On a reliable channel it is delivered exactly once while the session lives. Messages
//     of an ordered channel wait for each other, and for no other channel.
//   - A long message arrives whole or not at all.
//   - A lost message is sent again when the measured round trip says that its acknowledgement is overdue (RFC 6298), not after a
//     fixed time. Each message or fragment is in one packet at a time, except short ones on [Control].
//   - A packet is filled by priority, highest first. Lower levels also leave a reserve of the budget that higher levels may
//     overdraw, so a transfer of any length delays no snapshot and no input.
//   - Unreliable messages that wait for the budget become stale and are dropped. They never queue up.
//   - Memory is bounded by Queue, QueueBytes and MaxMessage of each channel, at both ends, whatever the peer sends. Fragments take
//     memory when they arrive, not when they are announced. Only a table of 4 bytes per fragment is allocated in advance, for at
//     most sixteen messages of a channel and, on a reliable channel, QueueBytes of them together. An endpoint with the default
//     configuration starts at about 4 kB and takes about 6 kB on a lossy path. Memory that a long message or an outage needed is
//     released when nothing has needed it for ten to twenty seconds.
//   - Once queues have grown to the traffic, nothing allocates.
//   - Nothing depends on map order, a clock or chance: the same calls produce the same packets.
//
// # Numbers
//
// Packets and messages have 16-bit numbers on the wire, which wrap. Internally, messages have 64-bit numbers. See wire.go for
// the layout of a packet.
package channel
