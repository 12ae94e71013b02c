package relay

import (
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Stats holds the counters of a [Server].
type Stats struct {
	Taken     uint64 // new inputs
	Known     uint64 // repeated inputs
	Refused   uint64 // inputs refused by Config.Refuse, by the window or by the cap on simulated ticks
	Unread    uint64 // messages whose inputs follow an input that is no longer stored, or that arrived in a flood
	Filled    uint64 // inputs that were filled because lockstep stopped waiting
	States    uint64 // states of the world that were prepared for clients
	Checked   uint64 // hashes of clients that were compared with the server's
	Mismatch  uint64 // hashes among Checked that differed from the server's
	Mended    uint64 // states among States for clients that had diverged
	Malformed uint64 // messages that no correct peer sends
}

// Inputs counts the inputs of a player since its session started.
type Inputs struct {
	Consumed uint64 // inputs of simulated ticks
	Missing  uint64 // ticks that became final, or that lockstep simulated, without an input
	Late     uint64 // inputs that arrived for a tick counted in Missing
	Refused  uint64 // as in Stats
	Rewrote  uint64 // late inputs that caused a rollback
	Newest   uint32 // all simulated ticks up to this one have an input or are final
	Waiting  int    // inputs of future ticks
}

// Inputs returns the counters of a player. They are zero for a player who is not in the game.
func (s *Server) Inputs(player uint32) Inputs {
	l := s.activeLane(player)
	if l == nil {
		return Inputs{}
	}
	c, next := l.counts, s.timeline.Next()
	c.Rewrote = s.timeline.Inputs(player)[timeline.Rewrote]
	for tick := next; tick < l.ahead; tick++ {
		if l.at(tick) == inputKnown {
			c.Waiting++
		}
	}
	c.Consumed -= uint64(c.Waiting)
	if end := min(l.end, next); end > l.First {
		c.Newest = end - 1
	}
	if p := s.peer(player); p != nil {
		before := &p.counted
		c.Consumed -= before.Consumed
		c.Missing -= before.Missing
		c.Late -= before.Late
		c.Refused -= before.Refused
		c.Rewrote -= before.Rewrote
	}
	return c
}

// ClientStats holds the counters of a [Client].
type ClientStats struct {
	Sent       uint64 // inputs in all messages, with repetitions
	Bytes      uint64 // bytes of datagrams that were sent
	SendErrors uint64 // datagrams that the session refused
	Old        uint64 // messages for a state that the client no longer uses
	Gaps       uint64 // messages whose inputs leave a gap or are too far ahead
	Overruled  uint64 // own inputs that the server declared absent
	States     uint64 // states of the world that were applied
	Lost       uint64 // times that the client fell behind its window and requested a state
	Mismatch   uint64 // hashes of the server that differed from the client's
	Malformed  uint64 // messages that no correct server sends
}
