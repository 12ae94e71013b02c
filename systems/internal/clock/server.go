package clock

import (
	"cmp"
	"math"
)

// Server keeps a client at the server's tick, by nothing but when messages came. Times
// are in frames, one for each tick that a perfect clock would have made since the
// client began; ticks are the server's.
//
// The message that was least under way says best where the server is: it is ahead of
// what the message says by half a round trip, the shortest of late. What only came late
// moves nothing, and what claims to have come early, as no message can, is taken back when
// it leaves the last clockSpan of the two spans that are looked at.
type Server struct {
	// Snap is how many ticks a client may be away from the server's before it jumps instead of slewing.
	// Default (0): 12.
	Snap float64

	ahead, rtt [2]float64 // most and least of this span and the one before
	filled     [2]bool
	begin      float64
	began      bool
	jumping    bool // to the server's tick, over several frames
}

const (
	clockSpan  = 120 // frames
	clockSlew  = 0.05
	clockReach = 30 // frames in which a difference is to be gone
	clockSnap  = 12 // ticks
)

// Heard notes a message that came in a frame, with the server's next tick as the message says and the session's round trip time, in frames.
func (c *Server) Heard(frame float64, tick uint32, rtt float64) {
	if !c.began || frame-c.begin >= clockSpan {
		c.ahead[1], c.rtt[1], c.filled[1] = c.ahead[0], c.rtt[0], c.filled[0]
		c.filled[0], c.begin, c.began = false, frame, true
	}
	ahead := float64(tick) - frame
	if !c.filled[0] {
		c.ahead[0], c.rtt[0], c.filled[0] = ahead, rtt, true
		return
	}
	c.ahead[0], c.rtt[0] = max(c.ahead[0], ahead), min(c.rtt[0], rtt)
}

// Target is the tick that the server is at in a frame; false before anything was heard.
func (c *Server) Target(frame float64) (tick float64, ok bool) {
	if !c.began {
		return 0, false
	}
	ahead, rtt := c.ahead[0], c.rtt[0]
	if c.filled[1] {
		ahead, rtt = max(ahead, c.ahead[1]), min(rtt, c.rtt[1])
	}
	return frame + ahead + rtt/2, true
}

// Rate is how many ticks a client should make in a frame whose next one is next: within 5 %
// of 1 for small differences, so that nobody sees it. Beyond Snap it is 0, to wait, or all that are missing, up
// to most, until none is.
func (c *Server) Rate(frame float64, next uint32, most int) float64 {
	target, ok := c.Target(frame)
	if !ok {
		return 1
	}
	behind, snap := target-float64(next), cmp.Or(c.Snap, clockSnap)
	c.jumping = behind > snap || c.jumping && behind > 1
	switch {
	case c.jumping:
		return min(math.Ceil(behind), float64(most))
	case behind < -snap:
		return 0
	}
	return 1 + min(max(behind/clockReach, -clockSlew), clockSlew)
}
