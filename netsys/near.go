package netsys

// together is how many sessions a worker does in one go. It is few enough for what they need to stay near.
//
// Of a thousand sessions none is in the caches when its next packet comes. A packet that fetched from memory one cache
// line after the other, when it needs it, would do little but wait: a line takes as long to come as half of what the
// cipher takes, and there are some twenty. So what a session needs lies in few lines (see session, [netcode.Peer] and
// [channel.Endpoint]), and before a worker does some sessions it reads a byte of each line of all of them: these reads do
// not depend on each other, and the processor waits for many at a time. BenchmarkThousand has the figures.
const together = 16

// portions are how many of n things a worker does in one go, so that each worker gets several portions, and how many
// portions there are.
func (x *lanes) portions(n int) (each, portions int) {
	each = max(1, min(together, n/(4*x.number())))
	return each, (n + each - 1) / each
}

// portion is the i-th.
func portion[T any](all []T, each, i int) []T { return all[i*each : min((i+1)*each, len(all))] }

// touch reads a byte of each cache line of a session. What it returns means nothing, and is there so that the compiler
// leaves nothing out.
func touch(s *session) byte {
	return byte(s.age.now) ^ byte(s.state) ^ byte(s.in.Newest) ^ byte(s.payloadIn) ^ byte(s.unsent) ^ byte(s.out.Next()) ^
		s.rtt.Touch(s.age.now)
}

// touchFurther does so for what a session on a server leads to, which sending needs. Of what is received one packet in
// three brings news of what arrived, and needs it too: there it costs more than it spares.
func touchFurther(s *session) byte {
	if s.peer == nil || s.channels == nil {
		return 0 // it is not connected yet
	}
	return s.out.Touch() ^ s.channels.Touch() ^ s.peer.Touch()
}
