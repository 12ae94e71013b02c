package relay

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// agree makes the delay of everybody's inputs the longest that one of the players needs: with a shorter one of its own
// a player whose link is good would answer earlier than others. Who is about to join is expected to need
// its round trip.
func (s *Server) agree() {
	s.delay = 0
	for _, p := range s.peers {
		if !p.joined {
			p.pace.need = p.pace.lead
		}
		if p.play && p.state.follows {
			s.delay = max(s.delay, min(p.pace.need, s.config.MaxDelay))
		}
	}
}

// fill gives up on inputs that lockstep has waited for long enough.
func (s *Server) fill() {
	s.missing = s.timeline.AppendMissing(s.missing[:0])
	now := s.timeline.Next()
	for _, player := range s.missing {
		p, l := s.peer(player), s.playing(player)
		if p == nil || l == nil {
			continue
		}
		if p.pace.waited++; p.pace.waited < s.config.Stall && p.state.follows && !p.pace.stalled {
			continue
		}
		p.pace.stalled = true
		s.timeline.Overrule(player, now, nil)
		l.set(now, void, nil)
		l.counts.Missing++
		s.stats.Filled++
	}
	for _, p := range s.peers {
		if _, waits := slices.BinarySearch(s.missing, p.player); !waits {
			p.pace.waited = 0
		}
	}
}

// Receive takes in what [Client.Append] made, which came as the session's packet seq. It may come in any
// order; give it once.
//
// It returns [ErrMessage] or [ErrAbsent], wrapped.
func (s *Server) Receive(player uint32, seq uint16, msg []byte) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	m, err := s.coder.readUp(msg)
	if err == nil {
		err = s.inputs(p, &m)
	}
	if err != nil {
		s.stats.Malformed++
		return err
	}
	if p.heard && !codec.Newer(seq, p.newest) {
		return nil
	}
	p.heard, p.newest = true, seq
	p.control(s, &m)
	return nil
}

// inputs takes in the inputs of a message.
func (s *Server) inputs(p *peer, m *up) error {
	l := s.playing(p.player)
	first := codec.Lift(m.first, s.timeline.Next())
	var before []int32
	unread := false
	if m.back > 0 {
		if base := first - m.back; l != nil && base < first && l.at(base) == real {
			before = l.input(base)
		} else {
			unread = true
		}
	}
	s.coder.read(m.count, before, false, func(i int, words []int32) {
		if l != nil && !unread && uint64(first)+uint64(i) < timeline.Forever {
			s.take(p, l, first+uint32(i), words)
		}
	})
	if !s.coder.end() {
		return fmt.Errorf("%w: inputs of player %d", ErrMessage, p.player)
	}
	if unread {
		s.stats.Unread++
	}
	return nil
}

// take takes in one input.
func (s *Server) take(p *peer, l *lane, tick uint32, words []int32) {
	switch {
	case tick < l.First || tick < l.end && l.at(tick) == open:
		l.refuse(&s.stats)
		return
	case l.at(tick) == void:
		l.set(tick, late, nil)
		l.counts.Late++
		fallthrough
	case l.at(tick) != open:
		s.stats.Known++
		return
	}
	copy(s.scratch.input, words)
	words = s.scratch.input
	s.coder.snap(words, false)
	if s.config.Refuse != nil && s.config.Refuse(p.player, tick, words) {
		l.refuse(&s.stats)
		switch s.timeline.Overrule(p.player, tick, nil) {
		case timeline.TooOld, timeline.TooEarly, timeline.Absent:
		default:
			l.set(tick, late, nil)
		}
		return
	}
	switch s.timeline.Put(p.player, tick, words) {
	case timeline.InTime:
		p.pace.stalled = p.pace.stalled && tick < s.timeline.Next()
		fallthrough
	case timeline.Rewrote, timeline.Agreed:
		l.set(tick, real, words)
		l.ahead = max(l.ahead, tick+1)
		l.counts.Consumed++
		s.stats.Taken++
	default:
		l.refuse(&s.stats)
	}
}

func (l *lane) refuse(st *Stats) {
	st.Refused++
	l.counts.Refused++
}
