package systems

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// ClientStats counts what a client did.
type ClientStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	Inputs            uint64 // gathered
	InputsSent        uint64 // in all messages: each goes out until it is known to have arrived
	InputBytes        uint64 // of input messages, without what the session adds
	ReportBits        uint64 // of these, in bits: results, where corrections are made on mismatch
	Snapshots         uint64 // packets with state taken in
	Confirmed         uint64 // own states that agreed with the prediction
	Corrections       uint64 // own states that did not
	CoConfirmed       uint64 // states of co-simulated entities that agreed with the prediction
	CoCorrections     uint64 // states of co-simulated entities that did not; see Scope
	Resimulated       uint64 // ticks simulated again
	LongestReplay     uint64 // ticks simulated again at once, at most
	StaleStates       uint64 // own states older than the history
	Jumps             uint64 // times the server was ahead of this client's inputs
	Stalls            uint64 // frames with nothing to interpolate toward, or playback under 0.95; where all is simulated, whose last due tick did not come
	Snaps             uint64 // times the view was more than a second behind, and jumped
	InputBuffer       int    // inputs that waited on the server, as of the newest snapshot; 255: it could not read them
	Renewals          uint64 // times a baseline was missing and full states were asked for
	SendErrors        uint64
	Refusals          uint64 // told by the server: inputs, changes, too many inputs
	MalformedMessages uint64
	Session           netsys.Stats
}

// Mismatch reports one component field that a client predicted wrongly.
type Mismatch = reconcile.Mismatch

// Causes is what caused this client's corrections so far.
func (c *Client) Causes() reconcile.Causes {
	var t reconcile.Causes
	c.ReadCauses(&t)
	return t
}

// ReadCauses writes what [Client.Causes] returns to t, whose memory is used again.
func (c *Client) ReadCauses(t *reconcile.Causes) {
	if *t = (reconcile.Causes{Rows: t.Rows[:0]}); c.reconciler != nil {
		c.reconciler.ReadCauses(t)
	}
}

// countRooms adds what the rooms of a connected client count.
func (c *Client) countRooms(s ClientStats) ClientStats {
	s.Snaps, s.Stalls = c.interpolator.Clock().Snaps(), c.interpolator.Stalls()
	sent := &c.inputs.sender.Counts
	s.InputBuffer, s.Inputs, s.InputsSent = c.inputs.sender.Depth, c.inputs.Gathered, sent.Inputs
	s.InputBytes, s.SendErrors = s.InputBytes+sent.Bytes, s.SendErrors+sent.Errors
	if c.reconciler == nil {
		return s
	}
	n := &c.reconciler.Counts
	s.Confirmed, s.Corrections, s.CoConfirmed, s.CoCorrections = n.Confirmed, n.Corrections, n.CoConfirmed, n.CoCorrections
	s.Resimulated, s.LongestReplay, s.StaleStates, s.Jumps, s.ReportBits = n.Resimulated, n.LongestReplay, n.StaleStates, n.Jumps, n.ReportBits
	return s
}
