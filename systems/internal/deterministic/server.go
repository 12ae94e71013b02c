package deterministic

import (
	"errors"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Server relays inputs. It simulates everything as each client does, and decides which inputs count. Under rollback
// it goes back for late inputs. Under lockstep it waits for inputs.
type Server struct {
	relay    *relay.Server
	members  []*Member // in joining order
	channel  int
	step     time.Duration
	waits    bool   // the due tick could not be simulated
	prepared uint32 // the next tick when states were last prepared
	skipped  uint64 // dropped ticks that the relay knows of
	packet   []byte
	part     []byte
}

// Member is a client, for the duration of its session.
type Member struct {
	id      uint32
	session netsys.Session
	counted relay.Inputs // counters of earlier sessions of its player
}

// NewServer returns a server for a world before tick c.Timeline.First.
func NewServer(w *ecs.World, c relay.Config, channels channel.Config, l timeline.Listener) *Server {
	s := &Server{step: w.StepDuration(), prepared: c.Timeline.First}
	number, longest := BulkChannel(channels)
	s.channel, c.Part = number, partSize(longest)
	s.relay = relay.NewServer(w, c, l)
	return s
}

// Timeline returns the inputs of all players by tick, for inspection.
func (s *Server) Timeline() *timeline.Timeline { return s.relay.Timeline() }

// Stats returns the counters.
func (s *Server) Stats() relay.Stats { return s.relay.Stats() }

// Awaited returns the players whose missing inputs the due tick waits for.
func (s *Server) Awaited() []uint32 {
	if !s.waits {
		return nil
	}
	return s.relay.Timeline().AppendMissing(nil)
}

// leadMargin is the number of ticks, beyond its round trip, that a player has between joining and its first input.
const leadMargin = 6

// Ready reports whether a due tick can be simulated; lockstep waits for inputs. dropped is the total number of due
// ticks that were dropped.
func (s *Server) Ready(dropped uint64) bool {
	for _, m := range s.members {
		if !s.relay.Playing(m.id) {
			st := m.session.Stats()
			s.relay.SetLead(m.id, int((st.RTT+4*st.Jitter)/s.step)+leadMargin)
		}
	}
	s.relay.SkipTicks(int(dropped - s.skipped))
	s.skipped = dropped
	s.waits = !s.relay.Ready()
	return !s.waits
}

// Run is the system ServerApply. It simulates ticks again for which inputs arrived late, and begins the next tick.
// Simulate and Authority follow.
func (s *Server) Run(*ecs.World) {
	s.relay.Timeline().Resimulate()
	s.relay.Timeline().BeginTick()
}

// Done ends the tick.
func (s *Server) Done() { s.relay.EndTick() }

// PrepareStates is the system Snapshot. It prepares the state of the world for clients that need it.
func (s *Server) PrepareStates(*ecs.World) {
	if next := s.relay.Timeline().Next(); next != s.prepared {
		s.prepared = next
		s.relay.PrepareStates()
	}
}

// Join adds a client, which receives the state of the world. back reports that the player's seat was reserved and
// that the player is still in the game.
func (s *Server) Join(id uint32, session netsys.Session, value string, back bool) (*Member, error) {
	m := &Member{id: id, session: session}
	s.members = append(s.members, m)
	if back {
		m.counted = s.relay.Inputs(id)
		return m, s.relay.Resync(id)
	}
	return m, s.relay.Add(id, true, value)
}

// Watch adds a spectator, which receives the state of the world and all inputs.
func (s *Server) Watch(id uint32, session netsys.Session) (*Member, error) {
	m := &Member{id: id, session: session}
	s.members = append(s.members, m)
	return m, s.relay.Add(id, false, "")
}

// Record adds a recorder. See [relay.Server.Record].
func (s *Server) Record(id uint32, session netsys.Session) (*Member, *relay.Recorder, error) {
	m := &Member{id: id, session: session}
	s.members = append(s.members, m)
	r, err := s.relay.Record(id, limit)
	return m, r, err
}

// Leave removes a client. While the player's seat is reserved, the player stays in the game without inputs.
func (s *Server) Leave(m *Member) {
	s.members = slices.DeleteFunc(s.members, func(x *Member) bool { return x == m })
}

// Depart removes a player from the game in the next tick.
func (s *Server) Depart(player uint32) { s.relay.Remove(player) }

// Resume continues with a player of a saved server. See [relay.Server.Resume].
func (s *Server) Resume(p timeline.Presence, inputs []timeline.Input, leaves bool) error {
	return s.relay.Resume(p, inputs, leaves)
}

// AppendPending appends to dst the leaves and commands that wait for a tick.
func (s *Server) AppendPending(dst []commands.Entry) []commands.Entry {
	return s.relay.AppendPending(dst)
}

// Command runs a command of a player in the next tick.
func (s *Server) Command(player uint32, command string) { s.relay.Command(player, command) }

// CommandsWaiting reports whether commands of a client wait for a tick in which they can be sent to all clients.
func (s *Server) CommandsWaiting(m *Member) bool { return s.relay.CommandsWaiting(m.id) }

// Playing reports whether a client's player is in the game.
func (s *Server) Playing(m *Member) bool { return s.relay.Playing(m.id) }

// Receive processes a datagram of a client.
func (s *Server) Receive(m *Member, pk netsys.Packet) error {
	b, err := ParseDatagram(pk.Data)
	if err != nil {
		return err
	}
	return s.relay.Receive(m.id, pk.Seq, b)
}

// Message processes a report of a divergence. own is false if the message belongs to another receiver.
func (s *Server) Message(m *Member, number int, message []byte) (own bool, err error) {
	b, ok := ParseMessage(message)
	if !ok || number != s.channel {
		return false, nil
	}
	return true, s.relay.Deliver(m.id, b)
}

// NextPacket returns the next packet for a client: the inputs, joins and leaves that it has not acknowledged. The
// packet is valid until the next call. It is nil while the client has no state of the world.
func (s *Server) NextPacket(m *Member) []byte {
	s.relay.SetRepeats(m.id, repeats(m.session.Stats(), s.step))
	s.packet = append(s.packet[:0], Kind)
	s.packet = s.relay.Append(s.packet, m.id, m.session.Next(), limit)
	if len(s.packet) == 1 {
		return nil
	}
	return s.packet
}

// SendReliable passes the reliable messages for a client to their channel until the channel is full, and returns
// the number of bytes. An error that wraps [relay.ErrTooLarge] is permanent: the client cannot join.
func (s *Server) SendReliable(m *Member) (bytes int, err error) {
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

// Account counts the inputs of a player since its session started. It returns false for a player without inputs.
func (s *Server) Account(m *Member) (relay.Inputs, bool) {
	in := s.relay.Inputs(m.id)
	return in.Since(m.counted), in.Newest > 0
}
