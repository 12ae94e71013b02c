package relay

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/timeline"
)

// Server is the end that decides: it takes the inputs of all players into its
// timeline and tells them to all clients. It belongs to the goroutine of its world.
type Server struct {
	timeline *timeline.Timeline
	config   Config
	coder    *coder
	lanes    []*lane // by slot; nil: free
	spare    []*lane
	peers    []*peer // by player
	gone     []*peer // to be used again
	events   []event
	before   int // events that everybody knows and that are kept no longer
	missing  []uint32
	told     []uint32 // scratch: by slot, the end after the message that is written
	input    []int32  // scratch
	stats    Stats
}

// event is a player who comes or goes.
type event struct {
	leave bool
	slot  int
	timeline.Presence
}

// NewServer makes the server's end for a world in the state before tick
// c.Timeline.First. It panics when c is not valid.
func NewServer(w *ecs.World, c Config, listeners ...timeline.Listener) *Server {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c = c.defaulted(w.TickRate())
	s := &Server{timeline: timeline.New(w, c.Timeline, listeners...), config: c}
	s.coder = coderOf(w)
	s.input = make([]int32, len(s.coder.neutral))
	return s
}

// coderOf is a coder for the inputs of a world.
func coderOf(w *ecs.World) *coder {
	t := &schema.Table{}
	if in := w.Protocol().Input(); in != nil {
		t = in.Schema
	}
	neutral := make([]int32, t.Words)
	if t.Words > 0 {
		zero := make([]uint64, (t.Size+7)/8)
		t.Quantize(neutral, t.Words, unsafe.Pointer(unsafe.SliceData(zero)), 1)
	}
	return newCoder(t, neutral)
}

// Timeline is the server's timeline: for looking, and for its [timeline.Stats]. Its
// players come and go by [Server.Add] and [Server.Remove] alone.
func (s *Server) Timeline() *timeline.Timeline { return s.timeline }

// Stats are the counts so far.
func (s *Server) Stats() Stats { return s.stats }

// Add begins to tell a client. It is sent the state of the world, by
// [Server.Outgoing], and then all inputs. With play it joins the game as that player
// in the tick after it says that it is ready. A player who left plays anew.
//
// It returns [ErrPeers].
func (s *Server) Add(player uint32, play bool) error {
	i, found := s.index(player)
	if found || len(s.peers) == s.config.Peers {
		return fmt.Errorf("%w: player %d, there are %d", ErrPeers, player, len(s.peers))
	}
	p := &peer{}
	if n := len(s.gone); n > 0 {
		p, s.gone = s.gone[n-1], s.gone[:n-1]
	}
	p.begin(player, play)
	s.peers = slices.Insert(s.peers, i, p)
	return nil
}

// Remove ends a client. Its player leaves the game with the next tick. A player who
// is not there is ignored.
func (s *Server) Remove(player uint32) {
	i, found := s.index(player)
	if !found {
		return
	}
	s.gone = append(s.gone, s.peers[i])
	s.peers = slices.Delete(s.peers, i, i+1)
}

// Renew begins anew with a client, whose player plays on: its session is another one, or its world
// has left the server's. It is sent the state of the world. It returns [ErrAbsent].
func (s *Server) Renew(player uint32) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	p.lose()
	p.heard, p.ready = false, false
	return nil
}

func (s *Server) index(player uint32) (int, bool) {
	return slices.BinarySearchFunc(s.peers, player, func(p *peer, id uint32) int { return cmp.Compare(p.player, id) })
}

func (s *Server) peer(player uint32) *peer {
	if i, found := s.index(player); found {
		return s.peers[i]
	}
	return nil
}

// Playing reports whether a player has joined the game and not left it.
func (s *Server) Playing(player uint32) bool { return s.playing(player) != nil }

// playing is the lane of a player who has not left.
func (s *Server) playing(player uint32) *lane {
	for _, l := range s.lanes {
		if l != nil && l.Player == player && l.To == timeline.Forever {
			return l
		}
	}
	return nil
}

// Step simulates the next tick, and again before it what has changed, as
// [timeline.Timeline.Step] does. Under lockstep it does nothing and reports false while an
// input is missing. Call it once for each tick that is due, after what has
// arrived was received, and then tell all clients by [Server.Append].
func (s *Server) Step() bool {
	s.comeAndGo()
	if s.config.Timeline.Wait {
		s.fill()
	}
	if !s.timeline.Step() {
		return false
	}
	now := s.timeline.Next()
	for _, l := range s.lanes {
		if l != nil && now > uint32(s.config.Timeline.Window) {
			l.expire(now - uint32(s.config.Timeline.Window))
		}
	}

	s.retire()
	for _, p := range s.peers {
		s.attend(p)
	}
	return true
}

// comeAndGo lets players leave whose clients are gone, and join who are ready.
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
			l.To = now
			l.end = min(l.end, now)
			s.events = append(s.events, event{true, slot, l.Presence})
		}
	}
	for _, p := range s.peers {
		if !p.play || p.joined || !p.ready || s.playing(p.player) != nil {
			continue
		}
		first := now + uint32(s.config.Lead)
		if s.timeline.Join(p.player, now, first) != nil {
			continue // there is no room yet
		}
		p.joined = true
		slot := s.slot()
		s.lanes[slot].begin(timeline.Presence{Player: p.player, From: now, First: first, To: timeline.Forever}, now)
		for _, o := range s.peers {
			o.acked[slot] = first
		}
		s.events = append(s.events, event{false, slot, s.lanes[slot].Presence})
	}
}

// slot finds a free slot and puts a lane there.
func (s *Server) slot() int {
	slot := slices.Index(s.lanes, nil)
	if slot < 0 {
		slot = len(s.lanes)
		s.lanes = append(s.lanes, nil)
		s.told = append(s.told, 0)
	}
	if n := len(s.spare); n > 0 {
		s.lanes[slot], s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		s.lanes[slot] = newLane(s.config.Keep, len(s.coder.neutral))
	}
	for _, p := range s.peers {
		p.grow(len(s.lanes))
	}
	return slot
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
		if p.waited++; p.waited < s.config.Stall && !p.stalled {
			continue
		}
		p.stalled = true
		s.timeline.Overrule(player, now, nil)
		l.set(now, void, nil)
		s.stats.Filled++
	}
	for _, p := range s.peers {
		if _, waits := slices.BinarySearch(s.missing, p.player); !waits {
			p.waited = 0
		}
	}
}

// retire frees what every client has heard of, and moves clients that lag too far to
// a new state.
func (s *Server) retire() {
	known := s.before + len(s.events)
	for _, p := range s.peers {
		if p.state == 0 {
			continue
		}
		for slot, l := range s.lanes {
			if l != nil && l.end-min(l.end, p.acked[slot]) >= uint32(s.config.lag()) {
				p.lose()
			}
		}
		if p.state != 0 {
			known = min(known, p.events)
		}
	}
	if n := known - s.before; n > 0 {
		s.events = slices.Delete(s.events, 0, n)
		s.before = known
	}
	for slot, l := range s.lanes {
		if l == nil || l.To == timeline.Forever || l.end < l.To || s.timeline.Next()-l.To <= uint32(s.config.Timeline.Window) || s.pending(slot) {
			continue // a state of the window may need it yet
		}
		for _, p := range s.peers {
			if p.state != 0 && p.acked[slot] < l.To {
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
func (s *Server) pending(slot int) bool {
	return slices.ContainsFunc(s.events, func(e event) bool { return e.slot == slot })
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
	if m.based {
		if l != nil && first > 0 && l.at(first-1) == real {
			before = l.input(first - 1)
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
	case tick < l.First || tick >= l.To || tick < l.end && l.at(tick) == open:
		s.stats.Refused++
		return
	case l.at(tick) != open:
		s.stats.Known++
		return
	}
	copy(s.input, words)
	words = s.input
	s.coder.snap(words, false)
	if s.config.Refuse != nil && s.config.Refuse(p.player, tick, words) {
		s.stats.Refused++
		switch s.timeline.Overrule(p.player, tick, nil) {
		case timeline.TooOld, timeline.TooEarly, timeline.Absent:
		default:
			l.set(tick, void, nil)
		}
		return
	}
	switch s.timeline.Put(p.player, tick, words) {
	case timeline.InTime:
		p.stalled = p.stalled && tick < s.timeline.Next()
		fallthrough
	case timeline.Rewrote, timeline.Agreed:
		l.set(tick, real, words)
		s.stats.Taken++
	default:
		s.stats.Refused++
	}
}
