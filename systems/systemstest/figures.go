package systemstest

import "github.com/tactusgo/tactus/netsys"

// Figures counts what became of one client's play since the last [Crowd.Mark], or
// since it joined. Two runs in which all went the same have equal Figures.
type Figures struct {
	// Ticks is the steps that the client ran, and Inputs what it gathered.
	Ticks, Inputs uint64
	// Snapshots is the packets with state that the client took in.
	Snapshots uint64
	// Confirmed is the own states that agreed with the prediction, Corrections
	// those that did not, StaleStates those that were older than the history.
	Confirmed, Corrections, StaleStates uint64
	// Resimulated is the ticks that the client simulated again.
	Resimulated uint64
	// Jumps is how often the server was ahead of the client's inputs.
	Jumps uint64
	// Stalls is the frames with nothing to interpolate toward, or with playback
	// under 0.95.
	Stalls uint64
	// Consumed is the client's inputs that the server stepped, Missing the
	// fillers it stepped because one was not there, Late those that came after
	// their filler, Rejected those too far from the expected one.
	Consumed, Missing, Late, Rejected uint64
	// Holds is the server ticks in which the client's entities took no step,
	// Resyncs how often its buffer was set afresh.
	Holds, Resyncs uint64
	// BufferTicks is the server ticks over which BufferDepth, the sum of inputs
	// that waited, was taken; see [Figures.MeanDepth].
	BufferTicks, BufferDepth uint64
}

// MeanDepth is the mean number of inputs that waited in the server's buffer; 0
// when the server has consumed none.
func (f Figures) MeanDepth() float64 {
	if f.BufferTicks == 0 {
		return 0
	}
	return float64(f.BufferDepth) / float64(f.BufferTicks)
}

// Figures counts since the last [Crowd.Mark]. What the server knows is as of its
// last tick.
func (k *Client) Figures() Figures { return k.total().minus(k.base) }

// total counts since the client joined.
func (k *Client) total() Figures {
	c, in := k.Stats(), k.status.Inputs
	return Figures{
		Ticks: c.Ticks, Inputs: c.Inputs, Snapshots: c.Snapshots,
		Confirmed: c.Confirmed, Corrections: c.Corrections, StaleStates: c.StaleStates,
		Resimulated: c.Resimulated, Jumps: c.Jumps, Stalls: c.Stalls,
		Consumed: in.Consumed, Missing: in.Missing, Late: in.Late, Rejected: in.Rejected,
		Holds: in.Holds, Resyncs: in.Resyncs,
		BufferTicks: in.Ticks, BufferDepth: in.Depth,
	}
}

func (f Figures) minus(b Figures) Figures {
	return Figures{
		Ticks: f.Ticks - b.Ticks, Inputs: f.Inputs - b.Inputs, Snapshots: f.Snapshots - b.Snapshots,
		Confirmed: f.Confirmed - b.Confirmed, Corrections: f.Corrections - b.Corrections, StaleStates: f.StaleStates - b.StaleStates,
		Resimulated: f.Resimulated - b.Resimulated, Jumps: f.Jumps - b.Jumps, Stalls: f.Stalls - b.Stalls,
		Consumed: f.Consumed - b.Consumed, Missing: f.Missing - b.Missing, Late: f.Late - b.Late, Rejected: f.Rejected - b.Rejected,
		Holds: f.Holds - b.Holds, Resyncs: f.Resyncs - b.Resyncs,
		BufferTicks: f.BufferTicks - b.BufferTicks, BufferDepth: f.BufferDepth - b.BufferDepth,
	}
}

// Mark begins a new count: [Client.Figures] and the assertions about them look at
// what happens from now on. Call it when links and buffers are warm.
func (c *Crowd) Mark() {
	c.mark = c.Server.Tick()
	for _, k := range c.Clients {
		k.base = k.total()
		k.mismatches = k.mismatches[:0]
		k.firstMiss, k.firstStall = 0, stall{}
	}
}

// Traffic is what the link of one client carried.
type Traffic struct {
	// Session are the client's figures of its session: bytes and datagrams, with
	// the session's overhead and without.
	Session netsys.Stats
	// Up and Down count what the link did to the datagrams in each direction.
	Up, Down netsys.LinkStats
}

// Traffic counts what the client's link carried since it joined.
func (k *Client) Traffic() Traffic {
	down, up := k.link.Stats()
	return Traffic{Session: k.Stats().Session, Up: up, Down: down}
}
