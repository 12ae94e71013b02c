package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/difference"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// ClientStats holds the counters of a client in all rooms. InputBuffer, Delay and Session are those of the current room.
type ClientStats struct {
	Ticks             uint64
	TicksDropped      uint64 // due but not run: the machine was too slow
	Inputs            uint64 // gathered inputs
	InputsSent        uint64 // in all messages: each input is repeated until it is acknowledged
	InputBytes        uint64 // of input messages, without session overhead
	ReportBits        uint64 // size in bits of the results in these, if corrections are made on mismatch
	Snapshots         uint64 // accepted packets with state
	Confirmed         uint64 // owner states that agreed with the prediction
	Corrections       uint64 // owner states that did not
	CoConfirmed       uint64 // states of co-simulated entities that agreed with the prediction
	CoCorrections     uint64 // states of co-simulated entities that did not; see Scope
	Resimulated       uint64 // ticks simulated again
	LongestReplay     uint64 // most ticks simulated again at once
	StaleStates       uint64 // owner states older than the history
	Jumps             uint64 // times the server was ahead of this client's inputs
	Stalls            uint64 // frames after an entity had continued beyond its newest state for as long as it may, or with playback below 0.95 of real time; if everything is simulated, frames whose due tick was missing
	Extrapolated      uint64 // frames in which an entity continued beyond its newest state, without Stalls
	Snaps             uint64 // times the view was more than a second behind and jumped
	InputBuffer       int    // inputs that waited on the server, as of the newest snapshot; 255: the server could not decode them
	Renewals          uint64 // times a baseline was missing and full states were requested
	SendErrors        uint64
	Refusals          uint64 // refusals that the server reported: inputs, changes, too many inputs. It reports at most about ten a second
	MalformedMessages uint64
	Travels           uint64 // times it continued in another room
	TravelsFailed     uint64 // times another room did not admit it, and it stayed
	TravelsRefused    uint64 // tickets that it did not follow: too many, or for another protocol without ClientConfig.Session.OnTravel
	Reconnects        uint64 // sessions that started after one had ended: see ClientConfig.Session.Reconnect
	Delay             Delay  // from an input of this player to the screen of another
	Session           netsys.Stats
}

// Mismatch describes a component field that a client predicted wrongly:
//
//	Tick             uint32           // server tick of the state that differed
//	Input            uint32           // number of the input after which the values were compared
//	NetID            components.NetID // of the entity
//	Component, Field string
//	Predicted, Truth string           // the two values as text
//	CoSimulated      bool             // the client does not own the entity: see Scope
type Mismatch = reconcile.Mismatch

// Causes returns the causes of this client's corrections so far.
func (c *Client) Causes() reconcile.Causes {
	var t reconcile.Causes
	c.ReadCauses(&t)
	return t
}

// ReadCauses writes the result of [Client.Causes] to t and reuses its memory.
func (c *Client) ReadCauses(t *reconcile.Causes) {
	if *t = (reconcile.Causes{Rows: t.Rows[:0]}); c.reconciler != nil {
		c.reconciler.ReadCauses(t)
	}
}

// addCounts adds the counters of the parts of a connected client.
func (c *Client) addCounts(s ClientStats) ClientStats {
	s.Snaps, s.Stalls = c.interpolator.Clock().Snaps(), c.interpolator.Stalls()
	s.Extrapolated = c.interpolator.Extrapolated()
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
		s = c.model.count(c.addCounts(s))
	}
	if c.link.session != nil {
		s.Session = c.link.session.Stats()
	}
	if c.interpolator != nil {
		s.Delay = c.delay(&s)
	}
	if c.link.guide != nil {
		s = addPreviousRooms(c, s)
	}
	return s
}

// Received holds the contents of the snapshots that a client received while it counted, in
// bytes without session overhead:
//
//	Bytes = Rest + World and Own of all Components
type Received struct {
	Bytes uint64 // of all snapshot messages
	// Rest is the size of headers, of the sets of entities and changed slots, and of the ends of blocks.
	Rest float64
	// Components are the replicated components in order of registration.
	Components []ComponentReceived
}

// ComponentReceived is the size of a component in snapshots.
type ComponentReceived struct {
	Name string
	// World is its size in world state, Own its size in this client's owner state, which has full precision.
	World, Own float64
}

// CountBytes switches counting of received bytes for [Client.Received] on or off. Counting slows the decoder by up
// to an eighth; switched off, it costs one comparison per snapshot.
func (c *Client) CountBytes(on bool) { c.mirror.Decoder.CountBytes(on) }

// Received writes the bytes received while the client counted to t and reuses its memory. Models that send inputs
// instead of snapshots have nothing to count.
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

// Difference compares a client's world with the server's, entity by entity and field by field, as captured for the
// send of each entity's newest received state. Own predicted components are compared with the server's after the
// same input, within tolerance. It leaves out the place of a simulated entity whose carrier is missing on the
// client or is not simulated there: see ecs.Carry. That send must be the newest one that has arrived, unless the
// byte budget delays entities. Difference returns nil if all is equal, otherwise the first difference with entity, component, field and both
// values. Under rollback and lockstep it compares the hashes of the newest tick that is final on both. Both peers
// must be at rest: call it between ticks, on one goroutine.
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
	if line := c.model.line; line != nil {
		return difference.Timelines(line, s.model.line)
	}
	p := s.sessions.byID[c.link.id]
	if p == nil {
		return fmt.Errorf("the server has no client %d", c.link.id)
	}
	return difference.Ends{
		Server: s.world, World: c.world, Client: c.link.id, Mirror: c.mirror, Reconciler: c.reconciler,
		Tick: s.link.tick, Snapshots: s.snapshots, Recipient: p.snapshot,
	}.Compare()
}
