package relay

import (
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// comeAndGo lets players leave whose clients are gone, and join who are ready, and tells the tick that comes what they
// command.
func (s *Server) comeAndGo() {
	now := s.timeline.Next()
	for slot, l := range s.lanes {
		if l == nil || l.To != timeline.Forever {
			continue
		}
		p := s.peer(l.Player)
		if p != nil && p.joined {
			continue
		}
		if s.timeline.Leave(l.Player, now) == nil {
			for tick := l.end; tick < now; tick++ { // none of them will come
				if l.at(tick) == open {
					s.timeline.Overrule(l.Player, tick, nil)
				}
			}
			l.To = now
			l.end = min(l.end, now)
			l.expire(now)
			s.events = append(s.events, event{leave: true, slot: slot, Presence: l.Presence})
		}
	}
	for _, p := range s.peers {
		if !p.play || p.joined || !p.ready || s.playing(p.player) != nil {
			continue
		}
		first := now + uint32(p.pace.lead)
		if s.timeline.Join(p.player, now, first, p.value) != nil {
			continue // there is no room yet
		}
		p.joined = true
		slot := s.slot()
		s.lanes[slot].begin(timeline.Presence{Player: p.player, From: now, First: first, To: timeline.Forever, Value: p.value}, now)
		for _, o := range s.peers {
			o.known.lanes[slot].begin(first)
		}
		s.events = append(s.events, event{slot: slot, Presence: s.lanes[slot].Presence})
	}
	n := 0
	for ; n < len(s.asked) && s.canSendCommand(now); n++ {
		a := s.asked[n]
		if err := timeline.CommandsOf(s.timeline).Add(a.Player, now, a.Value); err != nil {
			panic(err) // the next tick is never final
		}
		s.events = append(s.events, event{command: true, slot: -1, Presence: timeline.Presence{Player: a.Player, From: now, Value: a.Value}})
	}
	s.asked = slices.Delete(s.asked, 0, n)
}

// canSendCommand reports whether one more command can be told soon: whether each client knows as many of those before it that
// a message tells what is left. So they never pile up, and no path is too slow for them. Who has heard nothing for a
// second is not waited for.
func (s *Server) canSendCommand(now uint32) bool {
	for _, p := range s.peers {
		if p.state.current == 0 {
			continue
		}
		bytes := 0
		untold := s.events[p.known.events-s.before:]
		for i := range untold {
			if e := &untold[i]; e.command {
				bytes += len(e.Value) + commandHead
			}
		}
		if bytes > 0 && bytes+commandHead+ecs.MaxRequest > maxCommands && now-min(now, untold[0].tick()) < uint32(s.tickRate) {
			return false
		}
	}
	return true
}

// Commanded reports whether commands of a player wait until they can be told.
func (s *Server) Commanded(player uint32) bool {
	return slices.ContainsFunc(s.asked, func(e commands.Entry) bool { return e.Player == player })
}

// slot finds a free slot and puts a lane there.
func (s *Server) slot() int {
	slot := slices.Index(s.lanes, nil)
	if slot < 0 {
		slot = len(s.lanes)
		s.lanes = append(s.lanes, nil)
		s.scratch.told = append(s.scratch.told, 0)
	}
	if n := len(s.spare); n > 0 {
		s.lanes[slot], s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		s.lanes[slot] = newLane(s.config.Keep, len(s.coder.neutral))
	}
	for _, p := range s.peers {
		p.known.grow(len(s.lanes))
	}
	return slot
}

// retire frees what every client has heard of, and moves clients that lag too far to
// a new state.
func (s *Server) retire() {
	known := s.before + len(s.events)
	for _, p := range s.peers {
		if p.state.current == 0 {
			continue
		}
		for slot, l := range s.lanes {
			if l != nil && l.end-min(l.end, p.known.lanes[slot].acked) >= uint32(s.config.lag()) {
				p.lose()
			}
		}
		if p.state.current != 0 {
			known = min(known, p.known.events)
		}
	}
	if n := known - s.before; n > 0 {
		s.events = slices.Delete(s.events, 0, n)
		s.before = known
	}
	for slot, l := range s.lanes {
		if l == nil || l.To == timeline.Forever || l.end < l.To || s.timeline.Next()-l.To <= uint32(s.config.Timeline.Window+s.config.Timeline.Early) || pending(s.events, slot) {
			continue // a state of the window may need it yet, and what was told ahead is another's then
		}
		for _, p := range s.peers {
			if p.state.current != 0 && p.known.lanes[slot].acked < l.To {
				l = nil
				break
			}
		}
		if l != nil {
			s.spare = append(s.spare, l)
			s.lanes[slot] = nil
		}
	}
}

// pending reports whether some client has not heard of what happened in a slot.
func pending(events []event, slot int) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.slot == slot })
}
