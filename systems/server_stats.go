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

// ServerStats holds the counters of a server.
type ServerStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	ResimulatedTicks  uint64 // Simulate calls for completed ticks
	Sends             uint64 // sends of the world, to any number of clients
	Updates           uint64 // snapshots or messages of relayed inputs, over all clients
	OverBudget        uint64 // those of Updates in which entities had to wait
	Oversized         uint64 // times an entity was left out because it fits into no snapshot
	SnapshotDelay     uint64 // ticks by which snapshots left after their send, over all snapshots: see Overload.Spread
	SendErrors        uint64 // packets that the session refused, unless it had been closed
	MalformedMessages uint64 // authentic packets with a malformed message
	FloodedMessages   uint64 // messages beyond [MaxMessages], not read
	ChannelMessages   uint64 // messages of channels that were passed to OnMessage
	Returned          uint64 // players who returned to a reserved seat
	Divergences       uint64 // clients whose worlds diverged: see policy.Rollback.Desync
	Mended            uint64 // states of the world that were sent because of a divergence
	Deaf              uint64 // clients that were dropped because they acknowledged nothing
	Clamped           uint64 // values that were outside their declared range
	Untold            uint64 // notices of refusals that were dropped because there were too many
	Inputs            InputStats
	Reports           ReportStats
	Commands          CommandStats
	Snapshots         SnapshotStats
	Encodes           EncodeStats
	RelayBytes        uint64 // sent bytes of relayed inputs, if no snapshots are sent
	StateBytes        uint64 // sent bytes of states of the world for joining clients, if no snapshots are sent
	InputBytes        uint64 // of received messages, without session overhead
	BytesIn           uint64 // bytes of datagrams, with session overhead
	BytesOut          uint64
	DatagramsIn       uint64
	DatagramsOut      uint64
	Overload          overload.Status
	TickTime          overload.Times // durations of wake-ups in the last minute, with garbage collection
	Drops             netsys.Drops   // discarded authentic packets, by reason
	DatagramDrops     netcode.Drops  // datagrams discarded before authentication, mostly of strangers
}

// ClientStatus is what a server knows of one client.
type ClientStatus struct {
	// ID is the client's number.
	ID uint32
	// LastInput is the sequence number of the last consumed input.
	LastInput uint32
	// Inputs counts its inputs.
	Inputs InputStats
	// Commands counts its commands.
	Commands CommandStats
	// Malformed counts malformed messages.
	Malformed uint64
	// Flooded counts messages that were not read: more than [MaxMessages] in a wake-up, or more than the queues of
	// the channels hold.
	Flooded uint64
	// Untold counts notices of refusals that were dropped because there were too many.
	Untold uint64
	// Waiting is the number of inputs that wait to be consumed.
	Waiting int
	// Budget is the maximum size of its snapshots in bytes. Allowed is the maximum of the next one, because of the
	// bandwidth of its path. Both are 0 if the server sends no snapshots.
	Budget, Allowed int
	// SendRate is the number of snapshots that it is sent per second now. It is 0 if the server sends none.
	SendRate float64
	// OverBudget reports that its newest snapshot did not hold all changes.
	OverBudget bool
	// Joining reports that it has not acknowledged the state with which it joins, or, if clients simulate
	// everything, that it is not in the game yet.
	Joining bool
	// Lead is the total number of ticks that the server has asked its clock to move ahead since it joined, so that
	// its inputs arrive in time.
	Lead int
	// Correcting reports that a correction is open, under policy.CorrectOnMismatch.
	Correcting bool
	// Address is its address.
	Address netip.AddrPort
	// Session holds the statistics of its session on the server.
	Session netsys.Stats
}

// Clients yields the connected clients in joining order. Use it as an iterator: for c := range server.Clients.
func (s *Server) Clients(yield func(ClientStatus) bool) {
	for _, p := range s.sessions.peers.All() {
		if p.recorder == nil && !yield(s.status(p)) {
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

// ReportStats counts the results that clients report, if corrections are made only on mismatch.
type ReportStats struct {
	Agreed      uint64 // results that agreed with the server's state after the same input
	Differed    uint64 // results that differed, except while a correction is on its way
	Asked       uint64 // requests for owner state
	Corrections uint64 // corrections that were opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// Stats returns the counters, including those of clients that left.
func (s *Server) Stats() ServerStats {
	st := s.stats
	st.TicksDropped, st.Overload, st.TickTime = s.dropped(), s.link.load.Status(), s.link.load.Times()
	here := s.sessions.Stats()
	st.MalformedMessages, st.FloodedMessages, st.Returned, st.Deaf = here.Malformed, here.Flooded, here.Returned, here.Deaf
	st.SendErrors, st.ResimulatedTicks = here.Unsent, s.world.Resimulated()
	st.Reports = ReportStats(s.report.Stats())
	st.Inputs, st.Untold = s.intake.Stats(), here.Untold
	st.Commands = s.sessions.commands.Departed()
	for _, p := range s.sessions.peers.All() {
		st.Commands.Add(p.commands.Stats)
	}
	st.BytesIn, st.BytesOut, st.DatagramsIn, st.DatagramsOut = here.BytesIn, here.BytesOut, here.DatagramsIn, here.DatagramsOut
	snapshots := s.snapshots.Stats()
	st.Sends, st.Updates = st.Sends+snapshots.Sends, st.Updates+snapshots.Updates
	st.OverBudget, st.Oversized, st.Clamped, st.SnapshotDelay = snapshots.OverBudget, snapshots.Oversized, snapshots.Clamped, snapshots.Delay
	st.Snapshots, st.Encodes = snapshots.Traffic, snapshots.Encodes
	st.Drops, st.DatagramDrops = s.link.endpoint.Drops(), s.link.endpoint.DatagramDrops()
	return st
}

// InputStats counts the inputs of one client.
type InputStats = serverapply.Stats

// Traffic holds the contents of snapshots since the server started, in bytes without session overhead.
type Traffic = traffic.Traffic

// ComponentTraffic is the size of a component, the sum over its fields.
type ComponentTraffic = traffic.Component

// FieldTraffic is the size of a field of a component.
type FieldTraffic = traffic.Field

// TrafficBytes is a size in the world blocks.
type TrafficBytes = traffic.Bytes

// EntityTraffic is the size of an entity.
type EntityTraffic = traffic.Entity

// ArchetypeTraffic is the size of all entities with the same replicated components.
type ArchetypeTraffic = traffic.Archetype

// SnapshotStats holds counters about the contents of snapshots, over all clients.
type SnapshotStats = traffic.Stats

// CoderStats counts the blocks that were encoded by one coder.
type CoderStats = traffic.CoderStats

// Traffic writes the contents of snapshots to t and reuses its memory.
func (s *Server) Traffic(t *Traffic) {
	s.snapshots.Traffic(t)
	t.Inputs = s.stats.InputBytes
}

// AccountEntities switches counting by entity on or off. Counting takes memory for each changed entity and measures
// every block. It counts nothing if only zstd is used.
func (s *Server) AccountEntities(on bool) { s.snapshots.Meters().AccountEntities(on) }

// TopEntities appends to dst the n largest entities of the newest send since [Server.AccountEntities] was switched
// on, in descending order.
func (s *Server) TopEntities(dst []EntityTraffic, n int) []EntityTraffic {
	return s.snapshots.Meters().Top(dst, s.snapshots.Groups(), n)
}

// TrafficByArchetype returns the archetypes in the newest send, in order of their first entity. It returns none if
// there are no snapshots. Components that only the owner may see are ignored. Bytes are counted while
// [Server.AccountEntities] is on.
func (s *Server) TrafficByArchetype() []ArchetypeTraffic {
	return s.snapshots.Meters().Archetypes(s.shape.replicated, s.snapshots.Groups())
}

// EncodeStats counts what a server encoded for snapshots.
type EncodeStats = snapshot.EncodeStats
