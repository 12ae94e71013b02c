package relay

import (
	"cmp"
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Stats counts what a [Server] did.
type Stats struct {
	Taken     uint64 // inputs of clients that were new
	Known     uint64 // that came again
	Refused   uint64 // that Config.Refuse, the window, or the cap on what they cost refused
	Unread    uint64 // messages that continue from an input that is gone
	Filled    uint64 // inputs that lockstep would not wait for any longer
	States    uint64 // states of the world that were sent
	Checked   uint64 // hashes of clients that were compared with the server's
	Mismatch  uint64 // hashes among Checked that were not the server's
	Mended    uint64 // states among States for clients whose world was not the server's
	Malformed uint64 // messages that no honest peer sends
}

// Inputs is what became of the inputs of a player, since it joined.
type Inputs struct {
	Consumed uint64 // that were there, of ticks that have been simulated
	Missing  uint64 // ticks that were final, or under lockstep not waited for, without one
	Late     uint64 // inputs that came for such a tick
	Refused  uint64 // as in Stats
	Rewrote  uint64 // inputs that came late, and for which the server went back
	Newest   uint32 // the tick up to which nothing is outstanding, simulated ones only
	Waiting  int    // inputs of ticks to come
}

// Inputs are the counts of a player; all zero for one who does not play.
func (s *Server) Inputs(player uint32) Inputs {
	l := s.playing(player)
	if l == nil {
		return Inputs{}
	}
	c, next := l.counts, s.timeline.Next()
	c.Rewrote = s.timeline.Inputs(player)[timeline.Rewrote]
	for tick := next; tick < l.ahead; tick++ {
		if l.at(tick) == real {
			c.Waiting++
		}
	}
	c.Consumed -= uint64(c.Waiting)
	if end := min(l.end, next); end > l.First {
		c.Newest = end - 1
	}
	return c
}

// Since is what was counted since then.
func (in Inputs) Since(then Inputs) Inputs {
	in.Consumed -= then.Consumed
	in.Missing -= then.Missing
	in.Late -= then.Late
	in.Refused -= then.Refused
	in.Rewrote -= then.Rewrote
	return in
}

// ClientStats counts what a [Client] did.
type ClientStats struct {
	Sent      uint64 // inputs in all messages: each goes out several times
	Old       uint64 // messages of a state that is no longer the client's
	Gaps      uint64 // messages with inputs of no use before others come, or further ahead than are kept
	Overruled uint64 // own inputs that the server told to be none
	States    uint64 // states of the world that were taken in
	Lost      uint64 // times that the client lagged behind its window and needed a state
	Mismatch  uint64 // hashes of the server that were not the client's
	Malformed uint64 // messages that no honest server sends
}

// Divergence is where the world of a client left the server's: what it simulates is
// not what the server simulates, from the same inputs.
type Divergence struct {
	Player uint32
	// Tick is the first one after which the worlds differ, of those that could be compared.
	Tick uint32
	// First says that the tick before is known to be equal: the difference came up in Tick.
	First bool
	// Where is "Component.Field", or what else [timeline.Timeline.Divergence] gives; empty
	// when the server has no longer what to compare with.
	Where string
	// System is the system that does not give the same result twice on the client, with the
	// field that it gives; empty when none has been found.
	System string
}

// String is the divergence in a line.
func (d Divergence) String() string {
	s := fmt.Sprintf("player %d: tick %d: %s differs", d.Player, d.Tick, cmp.Or(d.Where, "the world"))
	if d.System != "" {
		s += "; not the same twice: " + d.System
	}
	return s
}
