package systemstest

import "github.com/tactusgo/tactus/netsys"

// Figures holds the counters of one client since the last [Crowd.Mark], or since it joined. Two identical runs have
// equal Figures.
type Figures struct {
	// Ticks is the number of ticks that the client ran, Inputs the number of inputs that it gathered.
	Ticks, Inputs uint64
	// Snapshots is the number of accepted packets with state.
	Snapshots uint64
	// Confirmed counts the owner states that agreed with the prediction, Corrections those that did not,
	// StaleStates those older than the history.
	Confirmed, Corrections, StaleStates uint64
	// Resimulated counts the ticks that the client simulated again.
	Resimulated uint64
	// Jumps counts how many times the server was ahead of the client's inputs.
	Jumps uint64
	// Stalls counts the frames in which an entity stood still because its newest state was too old, or with playback below 0.95 of
	// real time. Extrapolated counts other frames in which an entity continued beyond its newest state.
	Stalls, Extrapolated uint64
	// Consumed counts the client's inputs that the server stepped, Missing the fillers for missing inputs, Late the
	// inputs that arrived after their filler, Rejected those too far from the expected one.
	Consumed, Missing, Late, Rejected uint64
	// Holds counts the server ticks in which the client's entities took no step, Resyncs the resets of its buffer.
	Holds, Resyncs uint64
	// BufferTicks is the number of server ticks over which BufferDepth, the sum of waiting inputs, was taken; see
	// [Figures.MeanDepth].
	BufferTicks, BufferDepth uint64
}

// MeanDepth returns the mean number of inputs that waited in the server's buffer, 0 if the server has consumed
// none.
func (f Figures) MeanDepth() float64 {
	if f.BufferTicks == 0 {
		return 0
	}
	return float64(f.BufferDepth) / float64(f.BufferTicks)
}

// Figures returns the counters since the last [Crowd.Mark]. The server's counters are as of its last tick.
func (k *Client) Figures() Figures { return k.total().minus(k.base) }

// total returns the counters since the client joined.
func (k *Client) total() Figures {
	c, in := k.Stats(), k.status.Inputs
	return Figures{
		Ticks: c.Ticks, Inputs: c.Inputs, Snapshots: c.Snapshots,
		Confirmed: c.Confirmed, Corrections: c.Corrections, StaleStates: c.StaleStates,
		Resimulated: c.Resimulated, Jumps: c.Jumps, Stalls: c.Stalls, Extrapolated: c.Extrapolated,
		Consumed: in.Consumed, Missing: in.Missing, Late: in.Late, Rejected: in.Rejected,
		Holds: in.Holds, Resyncs: in.Resyncs,
		BufferTicks: in.Ticks, BufferDepth: in.Depth,
	}
}

func (f Figures) minus(b Figures) Figures {
	return Figures{
		Ticks: f.Ticks - b.Ticks, Inputs: f.Inputs - b.Inputs, Snapshots: f.Snapshots - b.Snapshots,
		Confirmed: f.Confirmed - b.Confirmed, Corrections: f.Corrections - b.Corrections, StaleStates: f.StaleStates - b.StaleStates,
		Resimulated: f.Resimulated - b.Resimulated, Jumps: f.Jumps - b.Jumps, Stalls: f.Stalls - b.Stalls, Extrapolated: f.Extrapolated - b.Extrapolated,
		Consumed: f.Consumed - b.Consumed, Missing: f.Missing - b.Missing, Late: f.Late - b.Late, Rejected: f.Rejected - b.Rejected,
		Holds: f.Holds - b.Holds, Resyncs: f.Resyncs - b.Resyncs,
		BufferTicks: f.BufferTicks - b.BufferTicks, BufferDepth: f.BufferDepth - b.BufferDepth,
	}
}

// Mark resets the counters: [Client.Figures] and the assertions about them count from now on. Call it after the
// match has started and measurements have settled.
func (c *Crowd) Mark() {
	c.mark = c.Server.Tick()
	for _, k := range c.Clients {
		k.base = k.total()
		k.mismatches = k.mismatches[:0]
		k.firstMiss, k.firstStall = 0, stall{}
	}
}

// Traffic is the traffic on the link of one client.
type Traffic struct {
	// Session holds the statistics of the client's session: bytes and datagrams, with and without the session's
	// overhead.
	Session netsys.Stats
	// Up and Down count what the link did to the datagrams in each direction.
	Up, Down netsys.LinkStats
}

// Traffic returns the traffic of the client since it joined.
func (k *Client) Traffic() Traffic {
	down, up := k.link.Stats()
	return Traffic{Session: k.Stats().Session, Up: up, Down: down}
}
