package relay

import (
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// source is the state from which messages are written: that of the server, or of a client that records.
type source struct {
	timeline      *timeline.Timeline
	coder         *coder
	lanes         []*lane // by slot; nil: free
	events        []event
	removedEvents int    // number of removed events, which every client has acknowledged
	delay         int    // common input delay under lockstep, in ticks
	waited        uint32 // ticks that were due but not simulated
	least         uint32 // recorder of a client: states are of no earlier tick
	wait          bool   // lockstep
	at            uint32 // recorder of a client: the server's next tick; otherwise 0
	window        uint32 // ticks that may still change
	tickRate      int    // ticks per second of the world
	stored        int    // number of ticks for which inputs are stored
	part          int    // bytes of a state in a message

	// Scratch of the message that is being written.
	sentEnds []uint32 // by slot: the end of the inputs after the message
	count    int      // number of inputs written for the previous slot
	commands []commands.Entry
}

// event is a join, a leave or a command of a player.
type event struct {
	leave   bool
	command bool // if set, Presence holds the player, the tick (From) and the command (Value)
	slot    int  // -1 for a command
	timeline.Presence
}

// tick returns the tick of an event.
func (e *event) tick() uint32 {
	if e.leave {
		return e.To
	}
	return e.From
}

// now returns the next tick, as messages have it.
func (s *source) now() uint32 {
	if s.at != 0 {
		return s.at
	}
	return s.timeline.Next()
}

// upToDate reports whether a client has acknowledged all events and inputs.
func (s *source) upToDate(p *peer) bool {
	if !p.state.confirmed || p.known.events < s.removedEvents+len(s.events) {
		return false
	}
	for slot, l := range s.lanes {
		if l != nil && p.known.lanes[slot].acked < min(l.end, l.To) {
			return false
		}
	}
	return true
}
