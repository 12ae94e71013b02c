package clock

import (
	"cmp"
	"math"
)

// Server keeps a client at the server's tick, using only the arrival times of messages. Times are in frames: one
// for each tick of a perfect clock since the client started. Ticks are the server's.
//
// The message with the shortest delay gives the best estimate of the server's tick: the tick in the message plus
// half of the shortest recent round trip. Late messages change nothing. A message that is too early, as can happen
// only by error, stops counting when it leaves the two spans that are considered, of clockSpan frames each.
type Server struct {
	// Snap is the distance from the server's tick, in ticks, at which the client jumps instead of adjusting its
	// rate. Default (0): 12.
	Snap float64

	ahead, rtt [2]float64 // maximum and minimum of the current span and of the one before
	filled     [2]bool
	begin      float64
	began      bool
	jumping    bool // jumping to the server's tick, over several frames
}

const (
	clockSpan  = 120 // frames
	clockSlew  = 0.05
	clockReach = 30 // frames in which a difference should disappear
	clockSnap  = 12 // ticks
)

// Heard records a message that arrived in a frame, with the server's next tick in the message and the session's
// round trip time in frames.
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

// Restart forgets all messages.
func (c *Server) Restart() { *c = Server{Snap: c.Snap} }

// Target returns the server's tick in a frame. It returns false before the first message.
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

// Rate returns how many ticks to simulate in a frame if the next one is next. For small differences it is within 5
// % of 1, which players do not notice. For differences above Snap it is 0, to wait, or the number of missing ticks,
// at most limit per frame, until none is missing.
func (c *Server) Rate(frame float64, next uint32, limit int) float64 {
	target, ok := c.Target(frame)
	if !ok {
		return 1
	}
	behind, snap := target-float64(next), cmp.Or(c.Snap, clockSnap)
	c.jumping = behind > snap || c.jumping && behind > 1
	switch {
	case c.jumping:
		return min(math.Ceil(behind), float64(limit))
	case behind < -snap:
		return 0
	}
	return 1 + min(max(behind/clockReach, -clockSlew), clockSlew)
}
