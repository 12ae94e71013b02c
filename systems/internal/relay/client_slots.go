package relay

import "github.com/tactusgo/tactus/systems/internal/timeline"

// slots holds the lanes of all players on a client.
type slots struct {
	lanes []*lane // by slot; nil: it never had a player
	spare []*lane
	live  int     // number of lanes that are not retired
	keep  int     // ticks that the server keeps
	own   *lane   // lane of the client's player; nil: it does not play
	gone  uint32  // a state of the world before this tick lacks players whose slots have another player now
	left  []*lane // of players who left, whose slots have another player, and whose last inputs the timeline does not accept yet
}

// at returns the lane of the newest player in a slot, or nil.
func (s *slots) at(slot int) *lane {
	if slot >= len(s.lanes) {
		return nil
	}
	return s.lanes[slot]
}

// assign starts the lane of a slot with a presence. words is the number of words per input.
func (s *slots) assign(slot int, p timeline.Presence, start uint32, words int) *lane {
	for len(s.lanes) <= slot {
		s.lanes = append(s.lanes, nil)
	}
	l := s.lanes[slot]
	if l != nil {
		s.gone = max(s.gone, l.To)
	}
	if l != nil && l.fed < l.To {
		s.left = append(s.left, l)
		if !l.retired {
			s.live--
		}
		l = nil
	}
	if l == nil {
		if n := len(s.spare); n > 0 {
			l, s.spare = s.spare[n-1], s.spare[:n-1]
		}
		if l == nil || len(l.ring) != s.keep {
			l = newLane(s.keep, words)
		}
		s.lanes[slot] = l
		s.live++
	} else if l.retired {
		s.live++
	}
	l.reset(p, start)
	return l
}

// retire marks the lanes of players who left more than a window ago. They keep their inputs until another player
// receives the slot: the server repeats these inputs until they are acknowledged, and each is decoded from the one
// before.
func (s *slots) retire(now uint32, window int) {
	for _, l := range s.lanes {
		if l != nil && !l.retired && l.To != timeline.Forever && l.end >= l.To && uint64(l.To)+uint64(window) < uint64(now) {
			l.retired = true
			s.live--
		}
	}
}

// clear frees all lanes. keep is the number of ticks of the next ones.
func (s *slots) clear(keep int) {
	for _, l := range s.lanes {
		if l != nil && len(l.ring) == keep {
			s.spare = append(s.spare, l)
		}
	}
	s.lanes, s.live, s.own, s.keep, s.left = s.lanes[:0], 0, nil, keep, s.left[:0]
	s.gone = 0
}

// horizon returns the tick before which all inputs have arrived, at most the server's horizon.
func (s *slots) horizon(server uint32) uint32 {
	for _, l := range s.lanes {
		if l != nil && l.end < l.To {
			server = min(server, l.end)
		}
	}
	return server
}
