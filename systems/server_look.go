package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// World is the server's world.
func (s *Server) World() *ecs.World { return s.world }

// Schedule is what the server runs, in stages.
func (s *Server) Schedule() *ecs.Schedule { return s.stages.schedule }

// Tick is the number of the next tick: of ticks completed, counted from
// ServerConfig.FirstTick.
func (s *Server) Tick() uint32 { return s.link.tick }

// Err is why the server has ended, nil while it runs: nothing that clients do ends it,
// see [ErrTicks].
func (s *Server) Err() error { return s.link.err }

// Session is the session of a client, nil when it is not connected: who the player is
// by the connect token, and the channels on which to send to it.
func (s *Server) Session(client uint32) netsys.Session {
	if p := s.sessions.byID[client]; p != nil {
		return p.Session
	}
	return nil
}

// Outcomes is the log of irreversible outcomes, for its counters; nil where none are
// registered.
func (s *Server) Outcomes() *outcome.Log { return s.followed.outcomes }

// Probe looks at a server while it runs, on the server's goroutine; package inspect has
// one. What systems take is measured by Schedule().WrapAll.
type Probe interface {
	// Begin is called when a wake-up begins, before Receive.
	Begin()
	// End is called when a wake-up has sent what it had to. The server and its world are
	// at rest, and may be read until it returns.
	End()
}

// SetProbe makes p look at this server from the next wake-up on; nil ends it. A server
// without one compares a nil twice a wake-up.
func (s *Server) SetProbe(p Probe) { s.probe = p }

// Config is what this server was configured with, defaults filled in. Its Key is zero:
// the server does not give that away.
func (s *Server) Config() ServerConfig { return s.config }

// Divergence is where the world of a client left the server's, for [ServerConfig].Desync: what it simulates is not what
// the server simulates, from the same inputs.
type Divergence = relay.Divergence

// ModelStatus is what a server does that not every netcode model does. What the model at
// hand does not do is zero.
type ModelStatus struct {
	// Snapshots says that clients are sent states of the world; else they are sent
	// everybody's inputs, and simulate the world from these.
	Snapshots bool
	// Stamped says that each input applies in a tick that its client chose, so that the
	// server may have to go back for it: Window is how many ticks at most, and Passes how
	// often it did, the longest pass over Longest ticks and the passes of the newest tick
	// over Last.
	Stamped       bool
	Window        int
	Passes        uint64
	Longest, Last int
	// Horizon is the first tick that may still change: outcomes of those before are final.
	Horizon uint32
	// Lead is how many ticks all clients are to be ahead of the server, under
	// policy.ServerRewind.
	Lead int
	// Waits is how many ticks were due and had to wait for somebody's input, under
	// policy.Lockstep, and WaitsFor whose is missing right now, by client number.
	Waits    uint64
	WaitsFor []uint32
	// Relay counts what came and went of inputs of all, where these are what clients are
	// sent.
	Relay relay.Stats
}

// Model returns what the server does by its policies, for looking.
func (s *Server) Model() ModelStatus {
	st := ModelStatus{Snapshots: s.model.snapshots}
	if s.stats.Ticks > 0 {
		st.Horizon = s.model.firstOpen()
	}
	st = s.model.status(st)
	if line := s.model.line; line != nil {
		t := line.Stats()
		st.Stamped = true
		st.Passes, st.Longest, st.Last, st.Waits = t.Passes, t.Longest, t.Last, t.Waits
	}
	return st
}

// SetBudget bounds the snapshots of one client to that many bytes each, from the
// next on; see ServerConfig.Budget. It returns an error that wraps [ErrConfig]
// below 200 bytes and when there is no such client.
func (s *Server) SetBudget(client uint32, bytes int) error {
	p := s.sessions.byID[client]
	switch {
	case bytes < snapshot.MinBudget:
		return fmt.Errorf("%w: Budget %d is less than %d bytes", ErrConfig, bytes, snapshot.MinBudget)
	case p == nil:
		return fmt.Errorf("%w: SetBudget: no client %d", ErrConfig, client)
	case p.snapshot != nil:
		s.snapshots.SetBudget(p.snapshot, bytes)
	}
	return nil
}

// Knowledge is what a server knows that a client knows of an entity, and why it was not
// told more.
type Knowledge = snapshot.Knowledge

// Baseline returns what a client knows of an entity; ok is false where there is no such
// client. It asks ServerConfig.Priority. It is for looking: its time grows with the
// number of packets and sends that are kept, not with that of entities.
func (s *Server) Baseline(client uint32, id components.NetID) (k Knowledge, ok bool) {
	p := s.sessions.byID[client]
	if p == nil {
		return k, false
	}
	k.Client, k.Entity = client, id
	if p.snapshot != nil {
		s.snapshots.Knowledge(p.snapshot, id, &k)
		return k, true
	}
	e, there := s.world.ByNetID(id)
	k.Everywhere, k.Exists = true, there && s.world.Alive(e)
	k.Own = k.Exists && ownership.Owner(s.world, e) == client
	k.Joining = s.status(p).Joining
	return k, true
}
