package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// ClientStats counts what a client did, in all rooms that it was in. InputBuffer and Session are of the room at hand.
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
	Travels           uint64 // times that it went on in another room, where its server sent it
	TravelsFailed     uint64 // times that nobody let it in there, and it stayed
	TravelsRefused    uint64 // tickets that it did not follow: too many, or of another protocol without ClientConfig.OnTravel
	Reconnects        uint64 // sessions that it began after one had ended: see ClientConfig.Reconnect
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

// Stats returns the counters.
func (c *Client) Stats() ClientStats {
	s := c.stats
	s.Snapshots, s.Renewals = c.mirror.Counts.Snapshots, c.mirror.Counts.Renewals
	s.TicksDropped = c.steps.loop.Dropped
	if c.world != nil {
		s = c.model.count(c.countRooms(s))
	}
	if c.link.session != nil {
		s.Session = c.link.session.Stats()
	}
	if c.link.guide != nil {
		s = travelled(c, s)
	}
	return s
}

// Received is what the snapshots were made of that a client received while it counted, in
// bytes without what sessions add:
//
//	Bytes = Rest + World and Own of all Components
type Received struct {
	Bytes uint64 // of all snapshot messages
	// Rest is heads, which entities there are, which of them have news, and what coders
	// take to end a block.
	Rest float64
	// Components are those that are replicated, in order of registration.
	Components []ComponentReceived
}

// ComponentReceived is what a component took.
type ComponentReceived struct {
	Name string
	// World is what it took among the state of the world, and Own among the own state of
	// this client, which comes in full precision.
	World, Own float64
}

// CountBytes makes the client count, from now on or no longer, what the snapshots that it
// receives are made of, for [Client.Received]. Counting costs the decoder up to an
// eighth; while it is off a snapshot costs one comparison more.
func (c *Client) CountBytes(on bool) { c.mirror.Decoder.CountBytes(on) }

// Received writes what was received while the client counted to t, whose memory is used
// again. Where inputs travel instead of snapshots there is nothing to count.
func (c *Client) Received(t *Received) {
	t.Components = reuse.Slice(t.Components, len(c.shape.replicated))
	for i, comp := range c.shape.replicated {
		t.Components[i] = ComponentReceived{Name: comp.Name}
	}
	components := 0.0
	t.Bytes = c.mirror.Decoder.Costs(func(component int, own bool, bits float64) {
		x := &t.Components[component].World
		if own {
			x = &t.Components[component].Own
		}
		*x += bits / 8
		components += bits / 8
	})
	t.Rest = float64(t.Bytes) - components
}

// Difference compares a client's world with the server's: entity by entity, field
// by field, each as captured for the send of its newest state that has arrived; own
// predicted components with what the server had after the same input, within
// tolerance. It leaves out the place of what the client simulates where that lacks one of
// those that carry it: see ecs.Carry. That send must be the newest that the client has heard
// of, unless the byte budget makes entities wait. It returns nil when all is equal, and
// otherwise the first difference by entity, component and field with both values. Under
// rollback and lockstep it compares the hashes of the newest tick that is final on both. Both
// peers must be at rest: call it between ticks, on one goroutine.
func Difference(s *Server, c *Client) error {
	_, loaded := c.Loaded()
	switch {
	case c.link.err != nil:
		return fmt.Errorf("the client is gone: %w", c.link.err)
	case c.world == nil:
		return fmt.Errorf("the client never connected")
	case !loaded:
		return fmt.Errorf("the client has not joined yet")
	}
	if c.model.differs != nil {
		return c.model.differs(s.model.line)
	}
	p := s.sessions.byID[c.link.id]
	if p == nil {
		return fmt.Errorf("the server has no client %d", c.link.id)
	}
	return bothEnds{
		serverWorld: s.world, world: c.world, client: c.link.id, mirror: c.mirror, reconciler: c.reconciler,
		tick: s.link.tick, snapshots: s.snapshots, recipient: p.snapshot,
	}.compare()
}
