package netsys

// sessionsPerPiece is the number of sessions in a piece of work. Their memory fits into the processor's caches.
//
// With a thousand sessions, none is in the caches when its next packet arrives. A packet needs about twenty cache lines, and loading
// one takes half as long as the cipher. Loading them one after the other would dominate the time of a packet. The fields that
// packets need are therefore in few cache lines (see session, [netcode.Peer] and [channel.Endpoint]). Before a worker processes
// a piece, it reads a byte of each line of all its sessions. These reads do not depend on each other, so the processor performs
// many at a time. BenchmarkThousand measures this.
const sessionsPerPiece = 16

// divide divides n sessions into pieces of work, several for each worker. It returns the number of sessions in a piece and the number
// of pieces.
func (x *lanes) divide(n int) (each, pieces int) {
	each = max(1, min(sessionsPerPiece, n/(4*len(x.all))))
	return each, (n + each - 1) / each
}

// slicePiece returns the i-th piece of all. Each piece has the given length; the last may be shorter.
func slicePiece[T any](all []T, each, i int) []T { return all[i*each : min((i+1)*each, len(all))] }

// prefetchSession reads a byte of each cache line of a session. The result is meaningless; it only keeps the compiler from removing the
// reads.
func prefetchSession(s *session) byte {
	return byte(s.age) ^ byte(s.state) ^ byte(s.in.newest) ^ byte(s.payloadIn) ^ byte(s.unsent) ^ byte(s.out.next) ^
		byte(s.details.rtt.smoothed) ^ byte(s.details.rtt.recent[bucketAt(s.age)%bucketCount].index)
}

// prefetchForSend reads the other memory that a server's session needs for sending: the sent packets, the channels and the netcode
// peer. Receiving does not prefetch that memory: only one received packet in three needs it.
func prefetchForSend(s *session) byte {
	if s.peer == nil || s.channels == nil {
		return 0 // it is not connected yet
	}
	sum := s.channels.Touch() ^ s.peer.Touch()
	// The packet that is probably acknowledged next, and the newest one.
	if first, last := s.out.packets.Find(s.out.counted), s.out.packets.Find(s.out.next-1); first != nil && last != nil {
		sum ^= byte(first.at) ^ byte(last.at)
	}
	return sum
}
