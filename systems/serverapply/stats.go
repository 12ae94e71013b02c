package serverapply

// Stats counts what became of one client's inputs.
type Stats struct {
	Consumed uint64 // real inputs stepped
	Missing  uint64 // fillers stepped because the real input was not there; under policy.LateRewrite, those that stand
	Late     uint64 // inputs that came after their filler
	Rewrote  uint64 // inputs for which the server went back: under policy.LateRewrite
	Rejected uint64 // inputs too far from the expected one, or older than the window, or Capped
	Capped   uint64 // late inputs of a client that has made the server go back too far too often
	Refused  uint64 // inputs that ServerConfig.Refuse did not let pass: consumed, but the filler was stepped
	Fast     uint64 // inputs beyond one a tick, in the long run: a client whose clock is too fast, or that cheats
	Holds    uint64 // ticks in which the client's entities took no step
	Resyncs  uint64 // times the buffer was set afresh: after a stall of either end, or with half a second too much in it
	Unread   uint64 // messages that continue from one that was not read; see systems.MaxMessages
	Depth    uint64 // sum over ticks of inputs waiting; with Ticks, the mean depth
	Ticks    uint64 // ticks since the first input was consumed
}

// Add adds what became of others.
func (s *Stats) Add(o Stats) {
	s.Consumed += o.Consumed
	s.Missing += o.Missing
	s.Late += o.Late
	s.Rewrote += o.Rewrote
	s.Rejected += o.Rejected
	s.Capped += o.Capped
	s.Refused += o.Refused
	s.Fast += o.Fast
	s.Holds += o.Holds
	s.Resyncs += o.Resyncs
	s.Unread += o.Unread
	s.Depth += o.Depth
	s.Ticks += o.Ticks
}
