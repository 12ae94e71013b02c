package systems

import (
	"iter"
	"net/netip"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/serverapply"
)

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
	for _, p := range s.sessions.peers {
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
	st.TicksDropped = s.dropped()
	here := s.sessions.Stats()
	st.MalformedMessages, st.FloodedMessages, st.Returned, st.Deaf = here.Malformed, here.Flooded, here.Returned, here.Deaf
	st.SendErrors = here.Unsent
	st.ResimulatedTicks = s.world.Resimulated()
	st.Inputs, st.Changes, st.Untold = s.intake.Stats(), ChangeStats(s.owned.Stats()), here.Untold
	if s.report != nil {
		st.Reports = ReportStats(s.report.Stats())
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
