package relay

import (
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// applyEvents removes players whose clients are gone, adds players whose clients are ready, and runs waiting
// commands in the next tick.
func (s *Server) applyEvents() {
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
			for tick := l.end; tick < now; tick++ { // none of these inputs will arrive
				if l.at(tick) == inputUnknown {
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
		if !p.play || p.joined || !p.ready || s.activeLane(p.player) != nil {
			continue
		}
		first := now + uint32(p.pace.lead)
		if s.timeline.Join(p.player, now, first, p.value) != nil {
			continue // the timeline has no room yet
		}
		p.joined = true
		slot := s.allocateSlot()
		s.lanes[slot].reset(timeline.Presence{Player: p.player, From: now, First: first, To: timeline.Forever, Value: p.value}, now)
		for _, o := range s.peers {
			o.known.lanes[slot].reset(first)
		}
		s.events = append(s.events, event{slot: slot, Presence: s.lanes[slot].Presence})
	}
	n := 0
	for ; n < len(s.waitingCommands) && s.canSendCommand(now); n++ {
		a := s.waitingCommands[n]
		if err := s.timeline.AddCommand(a.Player, now, a.Value); err != nil {
			panic(err) // the next tick is never final
		}
		s.events = append(s.events, event{command: true, slot: -1, Presence: timeline.Presence{Player: a.Player, From: now, Value: a.Value}})
	}
	s.waitingCommands = slices.Delete(s.waitingCommands, 0, n)
}

// Join adds the client of a player: see [Server.Add]. request is the encoded join request. If back is true, the player is in the game
// already: see [Server.Resync]. Inputs name their tick, so consumed has no meaning.
func (s *Server) Join(player uint32, request string, back bool, consumed uint32) error {
	if back {
		return s.Resync(player)
	}
	return s.Add(player, true, request)
}

// Leave does nothing: a player whose client has left stays in the game without inputs until [Server.Depart].
func (*Server) Leave(player uint32, waited bool) {}

// Depart removes players from the game in the next tick.
func (s *Server) Depart(players []uint32) {
	for _, player := range players {
		s.Remove(player)
	}
}

// Plays reports whether a player is in the game and its next commands can be sent.
func (s *Server) Plays(player uint32) bool {
	return s.Playing(player) && !slices.ContainsFunc(s.waitingCommands, func(e commands.Entry) bool { return e.Player == player })
}

// Save adds the inputs of the players to x, and removes players who are not in the game. It returns the leaves and commands of the
// next tick, and the commands that wait for a later one.
func (s *Server) Save(x *saved.State) []commands.Entry {
	x.KeepPresent(s.timeline)
	return append(s.timeline.AppendPending(nil), s.waitingCommands...)
}

// Load continues with a player of a save, before the first tick. Its client is absent, as before [Server.Resync]. If the player leaves,
// it does so in the next tick. The error is that of [timeline.Timeline.Resume], or [ErrPeers].
func (s *Server) Load(p *saved.Player) error {
	if !p.Leaves {
		if err := s.Add(p.Client, true, ""); err != nil {
			return err
		}
		s.peer(p.Client).joined = true
	}
	now, slot := s.timeline.Next(), s.allocateSlot()
	first, l := max(p.First, now), s.lanes[slot]
	l.reset(timeline.Presence{Player: p.Client, From: p.From, First: first, To: timeline.Forever}, now)
	return s.timeline.Resume(p.Client, first, p.Inputs, func(in timeline.Input) {
		l.set(in.Tick, inputKnown, in.Words)
		l.ahead = max(l.ahead, in.Tick+1)
	})
}

// canSendCommand reports whether another command would reach all clients soon. It would if the unacknowledged
// commands of each client fit into one message together with it. Commands therefore never pile up, even on a slow
// path. A client whose oldest unacknowledged event is older than a second is ignored.
func (s *Server) canSendCommand(now uint32) bool {
	for _, p := range s.peers {
		if p.state.current == 0 || !p.play {
			continue
		}
		bytes := 0
		unacknowledged := s.events[p.known.events-s.removedEvents:]
		for i := range unacknowledged {
			if e := &unacknowledged[i]; e.command {
				bytes += len(e.Value) + commandHead
			}
		}
		if bytes > 0 && bytes+commandHead+ecs.MaxRequest > maxCommands && now-min(now, unacknowledged[0].tick()) < uint32(s.tickRate) {
			return false
		}
	}
	return true
}

// allocateSlot returns a free slot with a lane.
func (s *Server) allocateSlot() int {
	slot := slices.Index(s.lanes, nil)
	if slot < 0 {
		slot = len(s.lanes)
		s.lanes = append(s.lanes, nil)
		s.sentEnds = append(s.sentEnds, 0)
	}
	if n := len(s.spareLanes); n > 0 {
		s.lanes[slot], s.spareLanes = s.spareLanes[n-1], s.spareLanes[:n-1]
	} else {
		s.lanes[slot] = newLane(s.stored, len(s.coder.neutral))
	}
	for _, p := range s.peers {
		p.known.grow(len(s.lanes))
	}
	return slot
}

// release removes events and lanes that every client has acknowledged. A client that is too far behind is marked as
// needing a new state.
func (s *Server) release() {
	known := s.removedEvents + len(s.events)
	for _, p := range s.peers {
		if p.state.current == 0 {
			continue
		}
		for slot, l := range s.lanes {
			if l != nil && l.end-min(l.end, p.known.lanes[slot].acked) >= uint32(s.maxLag()) {
				p.dropState()
			}
		}
		if p.state.current != 0 {
			known = min(known, p.known.events)
		}
	}
	if n := known - s.removedEvents; n > 0 {
		s.events = slices.Delete(s.events, 0, n)
		s.removedEvents = known
	}
	for slot, l := range s.lanes {
		if l == nil || l.To == timeline.Forever || l.end < l.To || s.timeline.Next()-l.To <= uint32(s.config.Timeline.Window+s.config.Timeline.Early) || hasEvent(s.events, slot) {
			continue // a state of the window may still need this lane, and its slot could receive inputs of another player
		}
		for _, p := range s.peers {
			if p.state.current != 0 && p.known.lanes[slot].acked < l.To {
				l = nil
				break
			}
		}
		if l != nil {
			s.spareLanes = append(s.spareLanes, l)
			s.lanes[slot] = nil
		}
	}
}

// hasEvent reports whether some client has not acknowledged an event of a slot.
func hasEvent(events []event, slot int) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.slot == slot })
}
