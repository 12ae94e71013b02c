package systems

import (
	"iter"
	"net/netip"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/overload"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// ServerStats counts what a server did.
type ServerStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	ResimulatedTicks  uint64 // Simulate calls for ticks already completed
	Sends             uint64 // of the world, to whatever number of clients
	Updates           uint64 // snapshots sent, or inputs of all relayed, over all clients
	OverBudget        uint64 // of these, those in which entities had to wait their turn
	Oversized         uint64 // times an entity was left out because it fits no snapshot
	SendErrors        uint64 // packets that the wire refused
	MalformedMessages uint64 // well-formed packets with a message that is not
	FloodedMessages   uint64 // messages beyond [MaxMessages], not read
	ChannelMessages   uint64 // messages of channels that OnMessage was told of
	Returned          uint64 // players that came back while they were waited for
	Divergences       uint64 // worlds of clients that left the server's: see ServerConfig.Desync
	Mended            uint64 // clients that were sent the state of the world for it
	Deaf              uint64 // clients that were dropped because they acknowledged nothing
	Clamped           uint64 // values that were outside their declared range
	Untold            uint64 // refusals that clients were not told of: there were too many
	Inputs            InputStats
	Reports           ReportStats
	Changes           ChangeStats
	Commands          CommandStats
	Snapshots         SnapshotStats
	Encodes           EncodeStats
	RelayBytes        uint64 // of everybody's inputs as they were sent, where no snapshots are
	StateBytes        uint64 // of states of the world, likewise, for those who join
	InputBytes        uint64 // of messages read, without what the session adds
	BytesIn           uint64 // payload from the wire, session overhead included
	BytesOut          uint64
	DatagramsIn       uint64
	DatagramsOut      uint64
	Overload          overload.Status
	TickTime          overload.Times // what wake-ups took in the last minute, garbage collection included
	Drops             netsys.Drops   // authentic packets thrown away, by reason
	DatagramDrops     netcode.Drops  // datagrams thrown away before, of strangers above all
}

// ClientStatus is what a server knows of one client.
type ClientStatus struct {
	// ID is the client's number.
	ID uint32
	// LastInput is the sequence of the last input consumed.
	LastInput uint32
	// Inputs counts what became of its inputs.
	Inputs InputStats
	// Changes counts what became of its values of ecs.ClientOwned components.
	Changes ChangeStats
	// Commands counts what became of its commands.
	Commands CommandStats
	// Malformed counts messages that no honest client sends.
	Malformed uint64
	// Flooded counts messages that were not read: more than [MaxMessages] in a wake-up,
	// or more than the queues of the channels hold.
	Flooded uint64
	// Untold counts refusals that it was not told of, because there were too many.
	Untold uint64
	// Waiting is how many inputs wait to be consumed.
	Waiting int
	// Budget bounds its snapshots, in bytes; Allowed is how many the next may have, since
	// its path takes no more. Both are 0 where the server sends no snapshots.
	Budget, Allowed int
	// OverBudget says that its newest snapshot did not hold all there was to tell.
	OverBudget bool
	// Joining says that it has not yet acknowledged the state with which it joins, or,
	// where clients simulate everything, is not in the game yet.
	Joining bool
	// Lead is how many ticks the server has asked its clock to move ahead, in all since it
	// joined, so that its inputs are in time.
	Lead int
	// Correcting says that a correction is open, under policy.CorrectionMismatch.
	Correcting bool
	// Address is where it is.
	Address netip.AddrPort
	// Session are the figures of its link, as the server sees it.
	Session netsys.Stats
}

// Clients yields the connected clients in the order they joined; it is an
// iterator: for c := range server.Clients.
func (s *Server) Clients(yield func(ClientStatus) bool) {
	for _, p := range s.sessions.peers.All() {
		if !yield(s.status(p)) {
			return
		}
	}
}

var _ iter.Seq[ClientStatus] = (*Server)(nil).Clients

func (s *Server) status(p *peer) ClientStatus {
	st := ClientStatus{
		ID:        p.ID,
		LastInput: p.inputs.Consumed(),
		Inputs:    p.inputs.Stats(),
		Changes:   ChangeStats(p.owned.Stats),
		Commands:  p.commands.Stats,
		Malformed: uint64(p.Malformed),
		Flooded:   p.Client.Flooded,
		Untold:    p.Notices.Untold(),
		Waiting:   p.inputs.Waiting(),
		Address:   p.Session.RemoteAddr(),
		Session:   p.Session.Stats(),
	}
	return s.model.client(p, st)
}

// ReportStats counts what became of the results that clients report, where
// corrections are made on mismatch alone.
type ReportStats struct {
	Agreed      uint64 // results that agreed, with what the server had after the same input
	Differed    uint64 // and those that did not, those aside of who has a correction coming
	Asked       uint64 // requests for own state
	Corrections uint64 // opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// Stats returns the counters, clients that left included.
func (s *Server) Stats() ServerStats {
	st := s.stats
	st.TicksDropped, st.Overload, st.TickTime = s.dropped(), s.link.load.Status(), s.link.load.Times()
	here := s.sessions.Stats()
	st.MalformedMessages, st.FloodedMessages, st.Returned, st.Deaf = here.Malformed, here.Flooded, here.Returned, here.Deaf
	st.SendErrors, st.ResimulatedTicks = here.Unsent, s.world.Resimulated()
	st.Reports = ReportStats(s.report.Stats())
	st.Inputs, st.Changes, st.Untold = s.intake.Stats(), ChangeStats(s.owned.Stats()), here.Untold
	st.Commands = s.sessions.desk.Left()
	for _, p := range s.sessions.peers.All() {
		st.Commands.Add(p.commands.Stats)
	}
	st.BytesIn, st.BytesOut, st.DatagramsIn, st.DatagramsOut = here.BytesIn, here.BytesOut, here.DatagramsIn, here.DatagramsOut
	told := s.snapshots.Stats()
	st.Sends, st.Updates = st.Sends+told.Sends, st.Updates+told.Updates
	st.OverBudget, st.Oversized, st.Clamped = told.OverBudget, told.Oversized, told.Clamped
	st.Snapshots, st.Encodes = told.Traffic, told.Encodes
	st.Drops, st.DatagramDrops = s.link.endpoint.Drops(), s.link.endpoint.DatagramDrops()
	return st
}

// InputStats counts what became of one client's inputs.
type InputStats = serverapply.Stats

// Traffic is what snapshots were made of, since the server began, in bytes without what
// sessions add.
type Traffic = traffic.Traffic

// ComponentTraffic is what a component took, the sum over its fields.
type ComponentTraffic = traffic.Component

// FieldTraffic is what a field of a component took.
type FieldTraffic = traffic.Field

// TrafficBytes is what something took in the blocks of the world.
type TrafficBytes = traffic.Bytes

// EntityTraffic is what an entity took.
type EntityTraffic = traffic.Entity

// ArchetypeTraffic is what the entities took that have the same replicated components.
type ArchetypeTraffic = traffic.Archetype

// SnapshotStats counts what snapshots consisted of, over all clients.
type SnapshotStats = traffic.Stats

// CoderStats counts the blocks that were sent in the coding of one coder.
type CoderStats = traffic.CoderStats

// Traffic writes what snapshots were made of to t, whose memory is used again.
func (s *Server) Traffic(t *Traffic) {
	s.snapshots.Traffic(t)
	t.Inputs = s.stats.InputBytes
}

// AccountEntities makes the server count what each entity takes too, from now on, or
// no longer. It takes memory for each entity that has news, measures every block, and
// counts nothing where zstd alone is to be used.
func (s *Server) AccountEntities(on bool) { s.snapshots.Meters().AccountEntities(on) }

// TopEntities appends to dst the n entities of the newest send that took most since
// [Server.AccountEntities] was switched on, the first the most.
func (s *Server) TopEntities(dst []EntityTraffic, n int) []EntityTraffic {
	return s.snapshots.Meters().Top(dst, s.snapshots.Groups(), n)
}

// TrafficByArchetype returns the archetypes in the newest send, in order of their first
// entity. It is empty where there are no snapshots. Components that only the owner may see
// make no difference. Bytes are of the time while [Server.AccountEntities] was on.
func (s *Server) TrafficByArchetype() []ArchetypeTraffic {
	return s.snapshots.Meters().Archetypes(s.shape.replicated, s.snapshots.Groups())
}

// EncodeStats counts what a server encoded for snapshots.
type EncodeStats = snapshot.EncodeStats
