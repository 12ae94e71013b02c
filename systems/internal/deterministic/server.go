package deterministic

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Server relays inputs: it simulates everything as each client does, and decides which inputs
// there are. Under rollback it goes back for those that come late, under lockstep it waits for
// them.
type Server struct {
	relay    *relay.Server
	members  []*Member // in the order in which they joined
	channel  int
	step     time.Duration
	waits    bool   // the tick that was due could not be simulated
	attended uint32 // the next tick, when those who join were attended to last
	skipped  uint64 // ticks of those that were dropped, of which the relay knows
	packet   []byte
	part     []byte
}

// Member is a client, as long as its session lasts.
type Member struct {
	id      uint32
	session netsys.Session
	counted relay.Inputs // by earlier sessions of its player
}

// NewServer makes the end that decides, for a world before tick c.Timeline.First.
func NewServer(w *ecs.World, c relay.Config, channels channel.Config, l timeline.Listener) *Server {
	s := &Server{step: w.StepDuration(), attended: c.Timeline.First}
	number, longest := BulkChannel(channels)
	s.channel, c.Part = number, part(longest)
	s.relay = relay.NewServer(w, c, l)
	return s
}

// Timeline is the inputs of all players by tick, for looking.
func (s *Server) Timeline() *timeline.Timeline { return s.relay.Timeline() }

// Stats are the counts so far.
func (s *Server) Stats() relay.Stats { return s.relay.Stats() }

// Awaited are the players that the tick that was due waits for.
func (s *Server) Awaited() []uint32 {
	if !s.waits {
		return nil
	}
	return s.relay.Timeline().AppendMissing(nil)
}

// leadMargin is how many ticks more than its round trip a player has from joining to its
// first input.
const leadMargin = 6

// Ready reports whether a tick that is due can be simulated: lockstep waits for inputs. So many
// ticks that were due have been dropped in all.
func (s *Server) Ready(dropped uint64) bool {
	for _, m := range s.members {
		if !s.relay.Playing(m.id) {
			st := m.session.Stats()
			s.relay.Expect(m.id, int((st.RTT+4*st.Jitter)/s.step)+leadMargin)
		}
	}
	s.relay.Skip(int(dropped - s.skipped))
	s.skipped = dropped
	s.waits = !s.relay.Ready()
	return !s.waits
}

// Run is the system ServerApply: it simulates again the ticks for which inputs came late, each
// with Simulate and Authority, and begins the next one, for which these follow.
func (s *Server) Run(*ecs.World) {
	s.relay.Timeline().Pass()
	s.relay.Timeline().Open()
}

// Done ends the tick.
func (s *Server) Done() { s.relay.Close() }

// Attend is the system Snapshot: it makes the state of the world for who joins.
func (s *Server) Attend(*ecs.World) {
	if next := s.relay.Timeline().Next(); next != s.attended {
		s.attended = next
		s.relay.Attend()
	}
}

// Join begins with a client, which is sent the state of the world; with back its player was
// waited for, and plays on.
func (s *Server) Join(id uint32, session netsys.Session, value string, back bool) (*Member, error) {
	m := &Member{id: id, session: session}
	s.members = append(s.members, m)
	if back {
		m.counted = s.relay.Inputs(id)
		return m, s.relay.Renew(id)
	}
	return m, s.relay.Add(id, true, value)
}

// Leave ends with a client. While its player is waited for it plays on, without inputs.
func (s *Server) Leave(m *Member) {
	s.members = slices.DeleteFunc(s.members, func(x *Member) bool { return x == m })
}

// Depart lets a player leave with the next tick.
func (s *Server) Depart(player uint32) { s.relay.Remove(player) }

// Command makes a player do something in the next tick.
func (s *Server) Command(player uint32, command string) { s.relay.Command(player, command) }

// Commanded reports whether commands of a client wait for a tick in which all can be told of them.
func (s *Server) Commanded(m *Member) bool { return s.relay.Commanded(m.id) }

// Playing reports whether a client's player has joined the game.
func (s *Server) Playing(m *Member) bool { return s.relay.Playing(m.id) }

// Receive takes in a datagram of a client.
func (s *Server) Receive(m *Member, pk netsys.Packet) error {
	b, err := Datagram(pk.Data)
	if err != nil {
		return err
	}
	return s.relay.Receive(m.id, pk.Seq, b)
}

// Message takes in a report of a divergence; it reports false for a message that is somebody
// else's.
func (s *Server) Message(m *Member, number int, message []byte) (own bool, err error) {
	b, ok := Message(message)
	if !ok || number != s.channel {
		return false, nil
	}
	return true, s.relay.Deliver(m.id, b)
}

// Tell is the next packet for a client: the inputs, joins and leaves since what it has
// acknowledged. It is good until the next call, and nil where the client has no state of the
// world yet.
func (s *Server) Tell(m *Member) []byte {
	s.relay.Repeat(m.id, repeats(m.session.Stats(), s.step))
	s.packet = append(s.packet[:0], Kind)
	s.packet = s.relay.Append(s.packet, m.id, m.session.Next(), limit)
	if len(s.packet) == 1 {
		return nil
	}
	return s.packet
}

// Hand gives the reliable messages for a client to their channel, as many as have room, and
// returns how many bytes those were. An error that wraps [relay.ErrTooLarge] is for good: this
// client cannot join.
func (s *Server) Hand(m *Member) (bytes int, err error) {
	for {
		b, err := s.relay.Outgoing(m.id, s.part)
		if err != nil || b == nil {
			return bytes, err
		}
		s.part = b
		s.packet = AppendMessage(s.packet[:0], b)
		switch err := m.session.Channels().Send(s.channel, s.packet); {
		case errors.Is(err, channel.ErrFull):
			return bytes, nil
		case err != nil:
			return bytes, err
		}
		s.relay.Sent(m.id)
		bytes += len(s.packet)
	}
}

// Account is what became of a player's inputs since its session began; false where it does not
// play.
func (s *Server) Account(m *Member) (relay.Inputs, bool) {
	in := s.relay.Inputs(m.id)
	return in.Since(m.counted), in.Newest > 0
}
