package relay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Server is the authoritative end. It stores the inputs of all players in its timeline and sends them to all
// clients. Use it only from the goroutine of its world.
type Server struct {
	source
	config          Config
	spareLanes      []*lane
	peers           []*peer          // sorted by player
	sparePeers      []*peer          // removed peers, for reuse
	waitingCommands []commands.Entry // commands that wait for a tick
	step            time.Duration
	waits           bool   // the due tick could not be simulated
	dropped         uint64 // see SkipTicks
	prepared        uint32 // the next tick when states were last prepared
	missing         []uint32
	input           []int32 // scratch
	packet          []byte  // scratch
	stats           Stats
}

// NewServer returns a server for a world in the state before tick c.Timeline.First. It panics if c with its
// defaults is invalid.
func NewServer(w *ecs.World, c Config, listeners ...timeline.Listener) *Server {
	for _, filled := range []Config{c, c.defaulted(w.TickRate())} {
		if err := filled.Validate(); err != nil {
			panic(err)
		}
	}
	if c = c.defaulted(w.TickRate()); c.Timeline.Authority == nil {
		c.Timeline.Authority = w.Protocol().AuthorityStage()
	}
	s := &Server{config: c, step: w.StepDuration(), prepared: c.Timeline.First, source: source{
		timeline: timeline.New(w, c.Timeline, listeners...), coder: newWorldCoder(w), wait: c.Timeline.Wait, window: uint32(c.Timeline.Window),
		tickRate: w.TickRate(), stored: c.storedTicks(w.TickRate()), part: c.Part - partHead,
	}}
	s.input = make([]int32, len(s.coder.neutral))
	return s
}

// newWorldCoder returns a coder for the inputs of a world.
func newWorldCoder(w *ecs.World) *coder {
	t := &schema.Table{}
	if in := w.Protocol().Input(); in != nil {
		t = in.Schema
	}
	c := newCoder(t, t.NeutralWords())
	if r := w.Protocol().Players().Join; r != nil && r.Schema.RawSize() > 0 {
		c.joinRequest = r
	}
	if r := w.Protocol().Players(); len(r.Commands) > 0 {
		c.commands, c.eventBits = r, moreEventBits
	}
	return c
}

// Timeline returns the server's timeline, for inspection and its [timeline.Stats]. Add and remove its players only
// by [Server.Add] and [Server.Remove].
func (s *Server) Timeline() *timeline.Timeline { return s.timeline }

// Stats returns the counters.
func (s *Server) Stats() Stats { return s.stats }

// Add adds a client. The client receives the state of the world through [Server.Outgoing], and then all inputs. If
// play is true, the player joins the game in the tick after its client reports that it is ready; value is the
// encoded [ecs.Request] of the join. A player who left may be added again.
//
// Add returns [ErrPeers].
func (s *Server) Add(player uint32, play bool, value string) error {
	n := 0
	for _, p := range s.peers {
		if !p.record {
			n++
		}
	}
	if n == s.config.Peers {
		return fmt.Errorf("%w: player %d, there are %d", ErrPeers, player, n)
	}
	return s.add(player, play, value)
}

// add adds a client, or a recorder, which needs no place of a client.
func (s *Server) add(player uint32, play bool, value string) error {
	i, found := s.index(player)
	if found {
		return fmt.Errorf("%w: player %d, there are %d", ErrPeers, player, len(s.peers))
	}
	p := &peer{}
	if n := len(s.sparePeers); n > 0 {
		p, s.sparePeers = s.sparePeers[n-1], s.sparePeers[:n-1]
	}
	p.reset(player, play)
	p.value = value
	s.peers = slices.Insert(s.peers, i, p)
	return nil
}

// Remove removes a client. Its player leaves the game in the next tick. Remove ignores an unknown player.
func (s *Server) Remove(player uint32) {
	i, found := s.index(player)
	if !found {
		return
	}
	s.sparePeers = append(s.sparePeers, s.peers[i])
	s.peers = slices.Delete(s.peers, i, i+1)
}

// Command runs a command of a player at the start of the next tick, after the player's earlier commands in that
// tick. command is the output of [ecs.Players.Pack]. If a client has not yet acknowledged as many commands as fit
// into a message, the command waits for a later tick; see [Server.Plays]. The player does not have to be
// in the game.
func (s *Server) Command(player uint32, command string) {
	s.waitingCommands = append(s.waitingCommands, commands.Entry{Player: player, Value: command})
}

// Resync starts over with a client that has a new session or a diverged world. Its player stays in the game. The
// client receives the state of the world. Resync returns [ErrAbsent].
func (s *Server) Resync(player uint32) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	p.counted = Inputs{}
	p.counted = s.Inputs(player)
	p.dropState()
	p.heard, p.ready, p.state.next = false, false, 0
	return nil
}

// SetRepeats sets in how many consecutive messages each input is sent to a client, clamped to 1 to 24. Choose a
// number that makes the loss of all of them improbable. Default: 6.
func (s *Server) SetRepeats(player uint32, messages int) {
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

// Playing reports whether a player is in the game.
func (s *Server) Playing(player uint32) bool { return s.activeLane(player) != nil }

// activeLane returns the lane of a player who is in the game, or nil.
func (s *Server) activeLane(player uint32) *lane {
	for _, l := range s.lanes {
		if l != nil && l.Player == player && l.To == timeline.Forever {
			return l
		}
	}
	return nil
}

// SkipTicks records the total number of ticks that were due but will not be simulated because the server stood still. The
// server sends the number to the clients, so that their clocks follow at once.
func (s *Server) SkipTicks(total uint64) {
	s.waited += uint32(min(total-s.dropped, maxSkip))
	s.dropped = total
}

// maxSkip is the maximum number of ticks that one call of [Server.SkipTicks] counts. Clients receive the low 16 bits of the count.
const maxSkip = 1 << 14

// Ready reports whether the next tick can be simulated. Under lockstep it returns false while an input is missing.
// Call Ready once for each due tick, after receiving the arrived messages, whatever it returned before. If it
// returns true, call [Server.Run], simulate the tick and call [Server.Done]. Finally call
// [Server.PrepareStates], and [Server.Append] for each client.
func (s *Server) Ready() bool {
	for _, p := range s.peers {
		p.read = 0
	}
	s.applyEvents()
	if s.config.Timeline.Wait {
		s.updateDelay()
		s.giveUpMissing()
	}
	if s.waits = !s.timeline.Ready(); s.waits {
		s.waited++
	}
	return !s.waits
}

// Run is the system ServerApply. It simulates ticks again for which inputs arrived late, and begins the next tick.
func (s *Server) Run(*ecs.World) { s.timeline.BeginTick() }

// Awaited returns the players whose missing inputs the due tick waits for.
func (s *Server) Awaited() []uint32 {
	if !s.waits {
		return nil
	}
	return s.timeline.AppendMissing(nil)
}

// Done ends a tick.
func (s *Server) Done() {
	s.timeline.EndTick()
	now := s.timeline.Next()
	for _, l := range s.lanes {
		if l != nil && now > uint32(s.config.Timeline.Window) {
			l.expire(now - uint32(s.config.Timeline.Window))
		}
	}
	s.release()
}

// PrepareStates encodes the state of the world for each client that needs it: after joining, after falling too far
// behind, or after diverging. It does so once per simulated tick.
func (s *Server) PrepareStates() {
	if s.timeline.Next() == s.prepared {
		return
	}
	s.prepared = s.timeline.Next()
	for _, p := range s.peers {
		if p.checks.needsState(s.timeline.Next(), uint32(s.tickRate)) {
			p.dropState()
			s.stats.Mended++
		}
		if !p.record && s.prepareState(p) {
			s.stats.States++
		}
	}
}
