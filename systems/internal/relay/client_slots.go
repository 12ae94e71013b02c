package relay

import "github.com/tactusgo/tactus/systems/internal/timeline"

// slots are the lanes of all players on a client.
type slots struct {
	lanes []*lane // by slot; nil: it never had a player
	spare []*lane
	live  int   // lanes that are not retired
	keep  int   // ticks that the server keeps
	own   *lane // of the client's player; nil: it does not play
}

// at returns the lane of the newest player in a slot, nil if there was none.
func (s *slots) at(slot int) *lane {
	if slot >= len(s.lanes) {
		return nil
	}
	return s.lanes[slot]
}

// seat begins the lane of a slot with a presence, for inputs of so many words.
func (s *slots) seat(slot int, p timeline.Presence, start uint32, words int) *lane {
	for len(s.lanes) <= slot {
		s.lanes = append(s.lanes, nil)
	}
	l := s.lanes[slot]
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
	l.begin(p, start)
	return l
}

// retire marks the lanes of players who left so long before the tick now that nothing goes back there. They keep their
// inputs until another player gets the slot: the server repeats them until it knows that they arrived, and they cannot be
// read without the ones before them.
func (s *slots) retire(now uint32, window int) {
	for _, l := range s.lanes {
		if l != nil && !l.retired && l.To != timeline.Forever && l.end >= l.To && uint64(l.To)+uint64(window) < uint64(now) {
			l.retired = true
			s.live--
		}
	}
}

// clear frees all lanes; the server keeps so many ticks of the next.
func (s *slots) clear(keep int) {
	for _, l := range s.lanes {
		if l != nil && len(l.ring) == keep {
			s.spare = append(s.spare, l)
		}
	}
	s.lanes, s.live, s.own, s.keep = s.lanes[:0], 0, nil, keep
}

// horizon is the tick before which everything has been told, given what the server says of it: as far
// as the lanes hold it.
func (s *slots) horizon(told uint32) uint32 {
	for _, l := range s.lanes {
		if l != nil && l.end < l.To {
			told = min(told, l.end)
		}
	}
	return told
}
