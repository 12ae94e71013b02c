package relay

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
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
	asked    []commands.Entry // for the tick that comes
	before   int              // events that everybody knows and that are kept no longer
	missing  []uint32
	delay    int    // under lockstep, of everybody's inputs
	waited   uint32 // ticks that were due and are not made
	tickRate int    // of the world
	scratch  scratch
	stats    Stats
}

// scratch is memory that is used again.
type scratch struct {
	told  []uint32 // by slot, the end after the message that is written
	count int      // inputs told of the slot before
	input []int32
	doing []commands.Entry
}

// event is a player who comes or goes, or commands something.
type event struct {
	leave   bool
	command bool // Presence is the player, the tick and the command
	slot    int  // −1 for a command
	timeline.Presence
}

// NewServer makes the server's end for a world in the state before tick
// c.Timeline.First. It panics when c, with its defaults, is not valid.
func NewServer(w *ecs.World, c Config, listeners ...timeline.Listener) *Server {
	for _, filled := range []Config{c, c.defaulted(w.TickRate())} {
		if err := filled.Validate(); err != nil {
			panic(err)
		}
	}
	if c = c.defaulted(w.TickRate()); c.Timeline.Authority == nil {
		c.Timeline.Authority = w.Protocol().AuthorityStage()
	}
	s := &Server{timeline: timeline.New(w, c.Timeline, listeners...), config: c}
	s.coder, s.tickRate = coderOf(w), w.TickRate()
	s.scratch.input = make([]int32, len(s.coder.neutral))
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
	c := newCoder(t, neutral)
	if r := w.Protocol().Players().Join; r != nil && r.Schema.RawSize() > 0 {
		c.asks = r
	}
	if r := w.Protocol().Players(); len(r.Commands) > 0 {
		c.commands, c.eventBits = r, moreEventBits
	}
	return c
}

// Timeline is the server's timeline: for looking, and for its [timeline.Stats]. Its
// players come and go by [Server.Add] and [Server.Remove] alone.
func (s *Server) Timeline() *timeline.Timeline { return s.timeline }

// Stats are the counts so far.
func (s *Server) Stats() Stats { return s.stats }

// Add begins to tell a client. It is sent the state of the world, by
// [Server.Outgoing], and then all inputs. With play it joins the game as that player
// in the tick after it says that it is ready, as what value says. A player who left plays anew.
//
// It returns [ErrPeers].
func (s *Server) Add(player uint32, play bool, value string) error {
	i, found := s.index(player)
	if found || len(s.peers) == s.config.Peers {
		return fmt.Errorf("%w: player %d, there are %d", ErrPeers, player, len(s.peers))
	}
	p := &peer{}
	if n := len(s.gone); n > 0 {
		p, s.gone = s.gone[n-1], s.gone[:n-1]
	}
	p.begin(player, play, s.config.Lead)
	p.value = value
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

// Command makes a player do something at the begin of the next tick, behind what it does in it already: what
// [ecs.Players] packed. Where clients do not know yet of so many before it that a message holds no more, it waits for a
// later tick, behind those that wait already; see [Commanded]. The player need not play.
func (s *Server) Command(player uint32, command string) {
	s.asked = append(s.asked, commands.Entry{Player: player, Value: command})
}

// Renew begins anew with a client, whose player plays on: its session is another one, or its world
// has left the server's. It is sent the state of the world. It returns [ErrAbsent].
func (s *Server) Renew(player uint32) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	p.lose()
	p.heard, p.ready, p.state.next = false, false, 0
	return nil
}

// Expect says how many ticks after its first one the first input of a player is expected,
// as Config.Lead says for all: about the round trip, so that under lockstep nobody waits for
// who joins. It is for a player that has not joined the game yet; others are ignored.
func (s *Server) Expect(player uint32, lead int) {
	if p := s.peer(player); p != nil {
		p.pace.lead = min(max(lead, 0), 255)
	}
}

// Repeat says in how many messages in a row a client is told each input, 1 to 24: as many as make it improbable
// that all of them are lost. It is 6 until it is called; other numbers are taken for the nearest.
func (s *Server) Repeat(player uint32, messages int) {
	if p := s.peer(player); p != nil {
		p.known.repeats = min(max(messages, 1), maxRepeats)
	}
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

// Skip says that so many ticks that were due will not be made, as the server stood still: clients hear of it,
// so that they know at once where the server is.
func (s *Server) Skip(ticks int) { s.waited += uint32(ticks) }

// Ready reports whether the next tick can be simulated: under lockstep not while an input is
// missing. Call it once for each tick that is due, whatever it reported before, after what has
// arrived was received; then, where it can, open the tick of [Server.Timeline], simulate it and
// call [Server.Close]; and at last [Server.Attend], and tell all clients by [Server.Append].
func (s *Server) Ready() bool {
	s.comeAndGo()
	if s.config.Timeline.Wait {
		s.agree()
		s.fill()
	}
	if !s.timeline.Ready() {
		s.waited++
		return false
	}
	return true
}

// Close ends a tick.
func (s *Server) Close() {
	s.timeline.Close()
	now := s.timeline.Next()
	for _, l := range s.lanes {
		if l != nil && now > uint32(s.config.Timeline.Window) {
			l.expire(now - uint32(s.config.Timeline.Window))
		}
	}
	s.retire()
}

// Attend makes the state of the world for clients that need one: who joins, and whose world
// has left ours. Call it when a tick has been simulated.
func (s *Server) Attend() {
	for _, p := range s.peers {
		if p.checks.mend(s.timeline.Next(), uint32(s.tickRate)) {
			p.lose()
			s.stats.Mended++
		}
		s.attend(p)
	}
}
