package relay

// slack finds how long the delay of lockstep must be for a client: as long as the worst of late round
// trips of an input, from when it was gathered to when the server tells that it has it. Then
// each is with the server in time, and the world never waits. How many the server has in
// stock, when it tells, less what others' needs add to the delay, says how true that is: with none it may have waited,
// and the need grows; with two or more all the time, it shrinks. All is counted in frames.
type slack struct {
	given [mineKept]int // by tick, the frame in which it was given its input
	frame int
	worst [2]int // of this span and the one before
	n     int    // inputs in this span
	since int    // frame in which the delay changed

	extra  int    // what the stock adds to the worst round trip
	stock  [2]int // least of this span and the one before
	looks  int    // at the stock, in this span
	extend int    // frame in which extra changed
}

const (
	slackSpan = 180 // inputs of a span
	slackDown = 20  // frames between two steps to a shorter delay
)

// told notes that the server has the input of a tick.
func (s *slack) told(tick uint32) {
	if s.n++; s.n >= slackSpan {
		s.worst[1], s.worst[0], s.n = s.worst[0], 0, 0
	}
	s.worst[0] = max(s.worst[0], s.frame-s.given[tick%mineKept])
}

// left notes how many inputs for ticks to come the server had when it told.
func (s *slack) left(stock int) {
	if s.looks == 0 {
		s.stock[1], s.stock[0] = s.stock[0], stock
	}
	s.stock[0] = min(s.stock[0], stock)
	s.looks = (s.looks + 1) % slackSpan
	worst := max(s.worst[0], s.worst[1])
	switch since := s.frame - s.extend; {
	case worst == 0 || since <= worst: // what was changed last does not show yet
	case stock < 1:
		s.extra++
		s.extend = s.frame
	case since > 2*slackSpan && min(s.stock[0], s.stock[1]) > 1:
		s.extra--
		s.extend = s.frame
	}
}

// delay is what it should be, where it is now.
func (s *slack) delay(now int) int {
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
