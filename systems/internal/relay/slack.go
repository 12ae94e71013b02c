package relay

// slack determines the input delay that a client needs under lockstep. The base is the worst recent round trip of
// an input, from gathering it to hearing that the server has it. With this delay each input arrives in time, and
// the game never waits. A correction follows the number of inputs that the server has in stock when it sends, less
// the part of the delay that other clients cause. With no input in stock the server may have waited, and the need
// grows. With two or more in stock throughout, the need shrinks. All times are in frames of the client.
type slack struct {
	gatheredIn [ownInputsKept]int // by tick: the frame in which its input was gathered
	frame      int
	worst      [2]int // maximum of the current span and of the one before
	n          int    // inputs in the current span
	since      int    // frame in which the delay changed

	extra      int    // correction of the worst round trip by the stock
	stock      [2]int // minimum of the current span and of the one before
	reports    int    // stock reports in the current span
	extraSince int    // frame in which extra changed
}

const (
	slackSpan = 180 // inputs per span
	slackDown = 20  // minimum number of frames between two reductions of the delay
)

// recordRoundTrip records that the server has the input of a tick.
func (s *slack) recordRoundTrip(tick uint32) {
	if s.n++; s.n >= slackSpan {
		s.worst[1], s.worst[0], s.n = s.worst[0], 0, 0
	}
	s.worst[0] = max(s.worst[0], s.frame-s.gatheredIn[tick%ownInputsKept])
}

// recordStock records how many inputs for future ticks the server had when it sent a message.
func (s *slack) recordStock(stock int) {
	if s.reports == 0 {
		s.stock[1], s.stock[0] = s.stock[0], stock
	}
	s.stock[0] = min(s.stock[0], stock)
	s.reports = (s.reports + 1) % slackSpan
	worst := max(s.worst[0], s.worst[1])
	switch since := s.frame - s.extraSince; {
	case worst == 0 || since <= worst: // the effect of the last change is not visible yet
	case stock < 1:
		s.extra++
		s.extraSince = s.frame
	case since > 2*slackSpan && min(s.stock[0], s.stock[1]) > 1:
		s.extra--
		s.extraSince = s.frame
	}
}

// nextDelay returns the delay to use, given the current one. It decreases by one tick at a time.
func (s *slack) nextDelay(now int) int {
	want := max(s.worst[0], s.worst[1])
	if want > 0 {
		want = max(want+s.extra, 1)
	}
	if want == 0 || want == now || want < now && s.frame-s.since < slackDown {
		return now
	}
	s.since = s.frame
	if want < now {
		return now - 1
	}
	return want
}
