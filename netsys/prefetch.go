package netsys

// sessionsPerPiece is how many sessions a worker does in one go. It is few enough for their memory to stay in the caches.
//
// Of a thousand sessions none is in the caches when its next packet comes. A packet that fetched from memory one cache
// line after the other, when it needs it, would do little but wait: a line takes as long to come as half of what the
// cipher takes, and there are some twenty. So the fields of a session that packets need lie in few lines (see session,
// [netcode.Peer] and [channel.Endpoint]), and before a worker does some sessions it reads a byte of each line of all of
// them: these reads do not depend on each other, and the processor waits for many at a time. BenchmarkThousand has the
// figures.
const sessionsPerPiece = 16

// divide returns how many of n sessions make a piece of work, so that each worker gets several pieces, and how many pieces
// there are.
func (x *lanes) divide(n int) (each, pieces int) {
	each = max(1, min(sessionsPerPiece, n/(4*len(x.all))))
	return each, (n + each - 1) / each
}

// slicePiece returns the i-th piece of all, each of the given length but for the last.
func slicePiece[T any](all []T, each, i int) []T { return all[i*each : min((i+1)*each, len(all))] }

// prefetchSession reads a byte of each cache line of a session. What it returns means nothing, and is there so that the
// compiler leaves nothing out.
func prefetchSession(s *session) byte {
	return byte(s.age) ^ byte(s.state) ^ byte(s.in.newest) ^ byte(s.payloadIn) ^ byte(s.unsent) ^ byte(s.out.next) ^
		byte(s.details.rtt.smoothed) ^ byte(s.details.rtt.recent[bucketAt(s.age)%bucketCount].index)
}

// prefetchForSend does so for the rest of what sending needs of a session on a server: the packets that were sent, the
// channels and the netcode peer. Of what is received one packet in three acknowledges something new, and needs these too:
// there reading them costs more than it spares.
func prefetchForSend(s *session) byte {
	if s.peer == nil || s.channels == nil {
		return 0 // it is not connected yet
	}
	sum := s.channels.Touch() ^ s.peer.Touch()
	// The packet that is acknowledged next, and the one that is sent next.
	if first, last := s.out.packets.Find(s.out.counted), s.out.packets.Find(s.out.next-1); first != nil && last != nil {
		sum ^= byte(first.at) ^ byte(last.at)
	}
	return sum
}
