package relay

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// updateDelay sets the common input delay to the longest delay that a player needs. If each client had its own
// delay, a player with a short round trip could react earlier than others. A joining player counts with its
// expected round trip.
func (s *Server) updateDelay() {
	s.delay = 0
	for _, p := range s.peers {
		if !p.joined {
			p.pace.need = p.pace.lead
		}
		if p.play && p.state.confirmed {
			s.delay = max(s.delay, min(p.pace.need, min(s.tickRate, 255)))
		}
	}
}

// giveUpMissing fills inputs for which lockstep has waited longer than Config.Stall.
func (s *Server) giveUpMissing() {
	s.missing = s.timeline.AppendMissing(s.missing[:0])
	now := s.timeline.Next()
	for _, player := range s.missing {
		p, l := s.peer(player), s.activeLane(player)
		if p == nil || l == nil {
			continue
		}
		if p.pace.waited++; p.pace.waited < s.config.Stall && p.state.confirmed && !p.pace.stalled {
			continue
		}
		p.pace.stalled = true
		s.timeline.Overrule(player, now, nil)
		l.set(now, inputAbsent, nil)
		l.counts.Missing++
		s.stats.Filled++
	}
	for _, p := range s.peers {
		if _, waits := slices.BinarySearch(s.missing, p.player); !waits {
			p.pace.waited = 0
		}
	}
}

// Receive processes a message of [Client.Append] that arrived as the session's packet seq. Messages may arrive in
// any order; pass each once.
//
// Receive returns [ErrMessage] or [ErrAbsent], wrapped.
func (s *Server) Receive(player uint32, seq uint16, msg []byte) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	m, err := s.coder.readUp(msg)
	if err == nil {
		err = s.receiveInputs(p, &m)
	}
	if err != nil {
		s.stats.Malformed++
		return err
	}
	if p.heard && !codec.Newer(seq, p.newest) {
		return nil
	}
	p.heard, p.newest = true, seq
	p.applyHeader(s, &m)
	return nil
}

// maxRead is the maximum number of inputs of a client that are read for each due tick. A client sends one message for each tick
// and repeats in it what was not acknowledged, so only a flood, or what arrived while the server stood still, is longer.
const maxRead = 4096

// receiveInputs reads the inputs of a message and stores them. They cannot be read if the input that they continue from is no
// longer stored, as when nothing has reached the client for long. They are not read if more than maxRead have arrived.
func (s *Server) receiveInputs(p *peer, m *up) error {
	l := s.activeLane(p.player)
	first := codec.Lift(m.first, s.timeline.Next())
	var before []int32
	if m.back > 0 {
		base := first - m.back
		if l == nil || base >= first || l.at(base) != inputKnown {
			s.stats.Unread++
			return nil
		}
		before = l.input(base)
	}
	if p.read += m.count; p.read > maxRead {
		s.stats.Unread++
		return nil
	}
	s.coder.readInputs(m.count, before, false, func(i int, words []int32) {
		if l != nil && uint64(first)+uint64(i) < timeline.Forever {
			s.acceptInput(p, l, first+uint32(i), words)
		}
	})
	if !s.coder.atEnd() {
		return fmt.Errorf("%w: inputs of player %d", ErrMessage, p.player)
	}
	return nil
}

// acceptInput stores one input in the timeline, or counts why the input was refused.
func (s *Server) acceptInput(p *peer, l *lane, tick uint32, words []int32) {
	switch {
	case tick < l.First || tick < l.end && l.at(tick) == inputUnknown:
		l.refuse(&s.stats)
		return
	case l.at(tick) == inputAbsent:
		l.set(tick, inputLate, nil)
		l.counts.Late++
		fallthrough
	case l.at(tick) != inputUnknown:
		s.stats.Known++
		return
	}
	if s.timeline.Admits(p.player, tick) {
		copy(s.input, words)
		words = s.input
		s.coder.snapInput(words, false)
		if s.config.Refuse != nil && s.config.Refuse(p.player, tick, words) {
			l.refuse(&s.stats)
			s.timeline.Overrule(p.player, tick, nil)
			l.set(tick, inputLate, nil)
			return
		}
	}
	switch s.timeline.Put(p.player, tick, words) {
	case timeline.InTime:
		p.pace.stalled = p.pace.stalled && tick < s.timeline.Next()
		fallthrough
	case timeline.Rewrote, timeline.Agreed:
		l.set(tick, inputKnown, words)
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
