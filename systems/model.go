package systems

import "github.com/tactusgo/tactus/systems/internal/relay"

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
