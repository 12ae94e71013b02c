package snapshot

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/traffic"
)

// Knowledge describes the state of an entity on a client, as far as the server knows it, and why the server has not sent more.
// A send is the number of a snapshot send; 0 means none.
type Knowledge struct {
	Subject
	// Everywhere reports that every peer simulates everything: only joining clients receive a state. Then only Exists, as of
	// the newest tick, Own and Joining are set.
	Everywhere bool
	// Exists reports that the entity existed at the newest send, which is Send.
	Exists bool
	Send   uint32
	// Own reports that the client owns the entity. Its owner state is sent separately:
	// OwnHeld and OwnSent are Held and Sent of that state.
	Own              bool
	OwnHeld, OwnSent uint32
	// Hidden reports that ServerConfig.Snapshots.Interest hides the entity from the client, and HiddenBy has the answers of
	// its parts.
	Hidden   bool
	HiddenBy []InterestPart
	// HiddenComponents are those that the interest hides of a visible entity.
	HiddenComponents []HiddenComponent
	// TooBig reports that the entity fits no snapshot of this client, and is left out for a while.
	TooBig bool
	// Joining reports that the client has not acknowledged the whole state with which it joins.
	Joining bool
	// Held is the newest send of which the client has acknowledged the entity's state.
	Held uint32
	// Baseline is the send against which the next snapshot would encode the entity; 0: in full. Second reports that the send
	// before Baseline would be used too.
	Baseline uint32
	Second   bool
	// Sent is the newest send whose state of the entity was sent, at least Held. Unacknowledged is the number of stored packets
	// with a state that is newer than Held and not acknowledged.
	Sent           uint32
	Unacknowledged int
	// OverBudget reports that the newest snapshot did not hold everything. Gained is Priority times the number of sends
	// that the entity has waited since it was last sent. Entities for which that is large are sent first.
	OverBudget       bool
	Priority, Gained float32
	// Budget limits the client's snapshots in bytes, and Allowed the next one.
	Budget, Allowed int
}

// InterestPart is the answer of one part of an interest, a Grid, Same or Filter, for an entity and a client.
type InterestPart = interest.Part

// HiddenComponent is a component of a visible entity that is hidden from a client, with the answers of its interest.
type HiddenComponent = interest.Untold

// Subject is the client and the entity that Knowledge is about.
type Subject struct {
	Client uint32
	Entity components.NetID
}

// Knowledge sets the fields of k about an entity on a client.
func (s *System) Knowledge(c *Client, id components.NetID, k *Knowledge) {
	defer func() {
		for _, send := range [...]*uint32{&k.Send, &k.OwnHeld, &k.OwnSent, &k.Held, &k.Baseline, &k.Sent} {
			*send = s.numberOf(*send)
		}
	}()
	k.Send, k.Budget, k.Allowed = s.sends.newest, c.budget, s.Allowed(c)
	k.Joining, k.OverBudget = c.Joining(), c.over
	f := s.Newest()
	g, slot, known := s.frames.Slot(id)
	if f == nil || !known || !holdsID(f, g, slot, id) {
		return
	}
	k.Exists, k.Own = true, f.Owner(g, slot) == c.id
	if own := c.private.view.find(uint32(id)); own != nil && own.until == 0 {
		k.OwnHeld = c.private.held.newestHeld(own)
		k.OwnSent, _ = c.private.held.newestSent(own, k.OwnHeld)
	}
	v, h := c.view, &c.held
	m := v.find(uint32(id))
	k.TooBig = v.isTooBig(uint32(id))
	if m == nil || m.until != 0 {
		if k.Hidden = !k.TooBig && s.config.Interest.Limits(); k.Hidden {
			k.HiddenBy = s.config.Interest.Explain(nil, &v.Client, g, slot)
		}
		return
	}
	if s.config.Interest.HidesComponents() {
		k.HiddenComponents = s.config.Interest.Untold(&v.Client, g, slot)
	}
	k.Held = h.newestHeld(m)
	k.Baseline = k.Held
	age, two := h.choose(f.Send+1, c.floor, min(s.maxAge(), s.frames.Depth()), c.before(s.codecs.layout))
	if base := f.Send + 1 - age; age > 0 && m.in(base) && !h.skips(m, base) {
		k.Baseline, k.Second = base, two && s.pairs(c, base)
	}
	k.Sent, k.Unacknowledged = h.newestSent(m, k.Held)
	k.Priority = s.config.gain(s.config.World, f, c.sight, m)
	if p := h.find(m); c.over && p != nil {
		k.Gained = k.Priority * float32(p.waited(f.Send, s.roundTripSends(c)))
		k.TooBig = p.misfit != 0
	}
}

// holdsID reports whether a frame has an entity in a slot.
func holdsID(f *frames.Frame, g, slot int, id components.NetID) bool {
	return f != nil && g < len(f.Groups) && groupHolds(&f.Groups[g], slot, id)
}

func groupHolds(g *delta.Group, slot int, id components.NetID) bool {
	return g.Alive&(1<<slot) != 0 && g.IDs[slot] == uint32(id)
}

// Frame returns the world at the send with a number, nil if it is no longer kept.
func (s *System) Frame(number uint32) *frames.Frame { return s.frames.At(s.sendOf(number)) }

// Newest returns the world at the newest send, nil before the first one.
func (s *System) Newest() *frames.Frame { return s.frames.At(s.sends.newest) }

// Groups returns the world at the newest send; nil before the first one.
func (s *System) Groups() []delta.Group {
	f := s.Newest()
	if f == nil {
		return nil
	}
	return f.Groups
}

// Sees reports whether a client may see an entity as it is now.
func (s *System) Sees(c *Client, e ecs.Entity) bool {
	if !s.config.Interest.Limits() {
		return true
	}
	g, slot, known := s.frames.Slot(s.config.World.NetID(e))
	if !known {
		g = -1
	}
	return s.config.Interest.Sees(&c.view.Client, c.sight, e, g, slot)
}

// Showed reports whether the entity exists in the newest send and the client may see it there.
func (s *System) Showed(c *Client, id components.NetID) bool {
	f := s.Newest()
	g, slot, known := s.frames.Slot(id)
	if !known || !holdsID(f, g, slot, id) {
		return false
	}
	return c.view.sees(g, slot)
}

// Stats returns the counters.
func (s *System) Stats() Stats {
	st := s.stats
	for i := range s.comps {
		st.Clamped += s.frames.Clamped(i)
	}
	st.Joins, st.Traffic = len(s.shared.joins.kept), s.shared.accounts.Stats()
	return st
}

// Traffic writes the contents of snapshots to t and reuses its memory.
func (s *System) Traffic(t *traffic.Traffic) { s.shared.accounts.Traffic(t) }

// Meters returns the meters of the blocks of the world.
func (s *System) Meters() traffic.Meters { return s.shared.meters }

// InSight is an entity in the sight of a client: its place in frames, and the number of the newest send of which the client
// acknowledged it, 0 for none.
type InSight struct {
	ID          uint32
	Group, Slot int
	Mask        uint64 // components that the client sees
	Since       uint32 // number of the send at which it came into sight with these components
	Held        uint32
}

// InSight returns the entities in the sight of a client at a send of a stored frame.
func (s *System) InSight(c *Client, f *frames.Frame) (all []InSight) {
	for i := range c.view.members {
		if m := &c.view.members[i]; m.in(f.Send) {
			all = append(all, InSight{m.id, int(m.group), int(m.slot), m.mask, s.numberOf(m.since), s.numberOf(c.held.newestHeld(m))})
		}
	}
	return all
}

// OwnState returns the components of an entity in the owner state of the send with a number, and their record; nil if it contains none
// or is no longer kept.
func (s *System) OwnState(c *Client, number, id uint32) (mask uint64, rec []int32) {
	send := s.sendOf(number)
	for i := range c.private.view.members {
		if m := &c.private.view.members[i]; m.id == id && m.in(send) {
			if rec = c.private.frames.record(send, m); rec != nil {
				return m.mask, rec
			}
		}
	}
	return 0, nil
}
