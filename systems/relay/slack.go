package relay

// slack finds how long the delay of lockstep must be: as long as the worst of late round
// trips of an input, from when it was gathered to when the server tells that it has it. Then
// each is with the server in time, and the world never waits. All is counted in frames.
type slack struct {
	given [mineKept]int // by tick, the frame in which it was given its input
	frame int
	worst [2]int // of this span and the one before
	n     int    // inputs in this span
	since int    // frame in which the delay changed
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

// delay is what it should be, where it is now.
func (s *slack) delay(now int) int {
	want := max(s.worst[0], s.worst[1])
	if want == 0 || want == now || want < now && s.frame-s.since < slackDown {
		return now
	}
	s.since = s.frame
	if want < now {
		return now - 1
	}
	return want
}

// adapt makes the delay of lockstep follow the round trip, now that the server has told own inputs from a tick on.
func (c *Client) adapt(from uint32) {
	if !c.config.Timeline.Wait || c.own == nil {
		return
	}
	for tick := from; tick < min(c.own.end, c.stamped); tick++ {
		if c.mine.at(tick) == real {
			c.slack.told(tick)
		}
	}
	c.delay = min(max(c.slack.delay(c.delay), c.config.Delay), c.config.MaxDelay)
}
