// Package channel carries messages over packets that get lost: reliably or not, in order or not, long ones in
// pieces, within a send budget, the urgent before the bulk. An [Endpoint] is one end of it, a state machine
// without goroutines, clock or I/O. It sits between a session, which numbers packets and learns which arrived,
// and the game.
//
// # Index of tasks
//
// For a game:
//
//   - Choose channels: [Config], [ChannelConfig], [Kind], [DefaultChannels]; a zero Config will do.
//   - Send bytes: [Endpoint.Send]. What to do when it says no: [ErrFull], [ErrTooLarge].
//   - Send values: [NewRegistry], [Register], [Type.Send]; receive them: [NewDispatcher], [Handle],
//     [Dispatcher.Deliver].
//   - Fit a snapshot into what may go now: [Endpoint.Allowance] when it travels as a datagram of the session,
//     [Endpoint.Available] when it travels on a channel.
//   - Notice a peer that does not keep up: Stalled in [Stats], [ErrFull].
//   - Measure: [Endpoint.Stats], [Endpoint.Channel].
//   - Go on in another session: [Endpoint.Unacked], [Endpoint.Delivered].
//
// For a session (below): [New], [Endpoint.Carried], [Endpoint.Fill], [Endpoint.Acked], [Endpoint.Receive], [Config.Lines],
// [Registry.Lines].
//
// # What a session must do
//
// One Endpoint a session, from its begin to its end: an address that changes or an outage that ends touches
// nothing here, and reliable streams go on.
//
//  1. In the handshake, compare [Config.Lines] and [Registry.Lines] as lines of the schema.
//  2. For each packet that arrives, once, in the order of arrival: first [Endpoint.Acked] for each number that it
//     acknowledges for the first time, then [Endpoint.Receive] with its payload, if that has any. Not for duplicates, nor
//     for a packet that [MaxOvertaken] others overtook. Count its errors; past a limit, end the session.
//  3. For each packet that it sends, keep-alives too, call [Endpoint.Fill] with the number that the packet
//     will have and the room that is left in it. What comes back is the payload; it may be empty.
//     Before it, tell [Endpoint.Carried] what else is in the packet, its headers included.
//  4. After the packet of the tick, go on with Fill, and send, until it appends nothing: that is where bulk
//     goes. The budget ends it.
//  5. A packet that the wire would not take needs nothing: it is one that was lost.
//
// As a loop at the end of a tick, next being the number of the next packet:
//
//	for first := true; ; first = false {
//		b := endpoint.Fill(now, next, buf[:0], maxPayload)
//		if len(b) == 0 && !(first && keepAliveDue) {
//			break
//		}
//		send(now, b) // as packet next, which is then one more
//	}
//
// Acknowledgements should reach back as many packets as the peer sends between two of ours. With 32 bits of them
// and 60 packets a second that is 33 packets a tick, some 2 MB/s.
//
// # What holds
//
//   - A message is delivered at most once; on a reliable channel exactly once, while the session lives. Messages
//     of an ordered channel wait for each other and for no other channel's.
//   - Long messages arrive whole or not at all.
//   - What is lost is sent again when the measured round trip says that it must have been acknowledged (RFC 6298),
//     not after a fixed time. A whole message or a piece is in one packet at a time.
//   - Priorities hold twice. A packet is filled from the highest down; and lower levels leave a reserve of
//     the budget that higher ones may go into debt by, so that a transfer of any length delays no
//     snapshot and no input.
//   - Unreliable messages that the budget keeps waiting become stale and are dropped; they never queue up.
//   - Memory is bounded by Queue, QueueBytes and MaxMessage of each channel, at both ends, whatever the peer sends:
//     received pieces take memory as they come and not as they are announced. Only a table of the pieces is made
//     ahead, 4 bytes for each, for at most sixteen messages of a channel and, on a reliable one, QueueBytes of
//     them together.
//     An endpoint of the default configuration has some 4 kB to begin with, and some 6 kB on a path that loses packets.
//     What a long message or an outage made necessary is given back when nothing has needed it for ten to twenty seconds.
//   - Once queues have grown to the traffic, nothing allocates.
//   - Nothing depends on map order, a clock or chance: the same calls give the same packets.
//
// # Numbers
//
// A packet and a message each have 16 bits on the wire, which wrap; inside, messages have 64. See wire.go
// for the bytes of a packet.
package channel
