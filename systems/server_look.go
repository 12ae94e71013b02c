package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// World returns the server's world.
func (s *Server) World() *ecs.World { return s.world }

// Schedule returns the server's schedule.
func (s *Server) Schedule() *ecs.Schedule { return s.stages.schedule }

// Tick returns the number of the next tick, counted from ServerConfig.FirstTick.
func (s *Server) Tick() uint32 { return s.link.tick }

// Err returns why the server has ended, nil while it runs. Clients cannot end it; see [ErrTicks] and [ErrTransport].
func (s *Server) Err() error { return s.link.err }

// Session returns the session of a client, nil if it is not connected: the player's identity from the connect
// token, and the channels for sending.
func (s *Server) Session(client uint32) netsys.Session {
	if p := s.sessions.byID[client]; p != nil {
		return p.Session
	}
	return nil
}

// Expects reports whether a player without a session may return to its entities: see Players.ReconnectWindow. player is the
// client id of its tokens.
func (s *Server) Expects(player uint64) bool { return s.sessions.Expects(player) }

// Outcomes returns the log of irreversible outcomes, for its counters; nil if none are registered.
func (s *Server) Outcomes() *outcome.Log { return s.followed.outcomes }

// Probe observes a running server on the server's goroutine; package inspect implements it. Schedule().WrapAll
// measures the times of systems.
type Probe interface {
	// Begin is called at the start of a wake-up, before Receive.
	Begin()
	// End is called after a wake-up has sent its packets. The server and its world are at rest and may be read
	// until End returns.
	End()
}

// SetProbe sets the probe from the next wake-up on; nil removes it. A server without a probe makes two nil
// comparisons per wake-up.
func (s *Server) SetProbe(p Probe) { s.probe = p }

// Config returns the server's configuration with defaults. Its Key is zero, to keep it secret.
func (s *Server) Config() ServerConfig { return s.config }

// ModelStatus describes activities of a server that depend on the netcode model. Fields that do not apply to the
// model are zero.
type ModelStatus struct {
	// Snapshots reports that clients receive states of the world. Otherwise they receive the inputs of all players
	// and simulate the world.
	Snapshots bool
	// Stamped reports that clients choose the tick of each input, so that the server may have to go back. Window is
	// the maximum number of ticks, Passes how many times it did, Longest the longest pass in ticks, and Last the
	// ticks in the passes of the newest tick.
	Stamped       bool
	Window        int
	Passes        uint64
	Longest, Last int
	// Horizon is the first tick that may still change. Outcomes of earlier ticks are final.
	Horizon uint32
	// Lead is the number of ticks by which all clients should run ahead of the server, under policy.ServerRewind.
	Lead int
	// Waits counts due ticks that waited for an input, under policy.Lockstep. WaitsFor holds the numbers of the
	// clients whose input is missing now.
	Waits    uint64
	WaitsFor []uint32
	// Relay holds the counters of relayed inputs, if clients receive inputs.
	Relay relay.Stats
}

// Model returns the status of the netcode model.
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

// SetBudget limits the size of each snapshot of one client in bytes, from the next one on; see ServerConfig.Snapshots.Budget.
// It returns an error that wraps [ErrConfig] below 200 bytes and for an unknown client.
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

// Knowledge describes the state of an entity on a client as the server knows it, and why more was not sent.
type Knowledge = snapshot.Knowledge

// Knowledge returns what a client has of an entity. ok is false for an unknown client. It calls
// ServerConfig.Snapshots.Priority. Its cost grows with the number of stored packets and sends, not with the number of
// entities: use it for inspection.
func (s *Server) Knowledge(client uint32, id components.NetID) (k Knowledge, ok bool) {
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
	if owner := (*components.Owner)(s.world.Netcode().Pointer(e, s.shape.replicated[0])); owner != nil {
		k.Own = k.Exists && owner.Client == client
	}
	k.Joining = s.status(p).Joining
	return k, true
}
