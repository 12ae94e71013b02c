package systems

import (
	"iter"

	"github.com/tactusgo/tactus/netsys"
)

// ClientStatus is what a server knows of one client.
type ClientStatus struct {
	// ID is the client's number.
	ID uint32
	// LastInput is the sequence of the last input consumed.
	LastInput uint32
	// Inputs counts what became of its inputs.
	Inputs InputStats
	// Waiting is how many inputs wait to be consumed.
	Waiting int
	// Session are the figures of its link, as the server sees it.
	Session netsys.Stats
}

// Clients yields the connected clients in the order they joined; it is an
// iterator: for c := range server.Clients.
func (s *Server) Clients(yield func(ClientStatus) bool) {
	for _, p := range s.peers {
		if !yield(p.status()) {
			return
		}
	}
}

var _ iter.Seq[ClientStatus] = (*Server)(nil).Clients

func (p *peer) status() ClientStatus {
	return ClientStatus{
		ID:        p.id,
		LastInput: p.inputs.expected - 1,
		Inputs:    p.inputs.stats,
		Waiting:   p.inputs.waiting(),
		Session:   p.session.Stats(),
	}
}

// Stats returns the counters, clients that left included.
func (s *Server) Stats() ServerStats {
	st := s.stats
	st.TicksDropped = s.loop.Dropped * uint64(s.config.WakeEvery)
	st.ResimulatedTicks = s.world.Resimulated()
	st.Inputs = s.departed.inputs
	link := s.departed.link
	for _, p := range s.peers {
		st.Inputs.add(p.inputs.stats)
		link.add(p.session.Stats())
	}
	st.BytesIn, st.BytesOut = link.bytesIn, link.bytesOut
	st.DatagramsIn, st.DatagramsOut = link.datagramsIn, link.datagramsOut
	for _, n := range s.snapshots.captures.clamped {
		st.Clamped += n
	}
	st.Drops = s.endpoint.Drops()
	return st
}

// departed are the sums over clients that left.
type departed struct {
	inputs InputStats
	link   traffic
}

// traffic sums what sessions carried.
type traffic struct{ bytesIn, bytesOut, datagramsIn, datagramsOut uint64 }

func (t *traffic) add(s netsys.Stats) {
	t.bytesIn += s.BytesIn
	t.bytesOut += s.BytesOut
	t.datagramsIn += s.DatagramsIn
	t.datagramsOut += s.DatagramsOut
}
