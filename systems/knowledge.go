package systems

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/ownership"
)

// Knowledge is what a server knows that a client knows of an entity, and why it was not
// told more. Sends are numbers of the server's sends; 0 is none.
type Knowledge struct {
	// Client and Entity are those that were asked for.
	Client uint32
	Entity components.NetID
	// Everywhere says that every peer simulates everything: no state is sent but the one
	// that a client joins with. Below it only Exists, in the newest tick, Own and Joining
	// say something then.
	Everywhere bool
	// Exists says that the entity was there at the newest send, which is Send.
	Exists bool
	Send   uint32
	// Own says that the client owns it. Predicted and owner-only components then travel
	// beside the rest: OwnHeld and OwnSent are as Held and Sent, of those.
	Own              bool
	OwnHeld, OwnSent uint32
	// Hidden says that ServerConfig.Visible keeps it from the client.
	Hidden bool
	// TooBig says that it fits no snapshot of this client, and is left out for a while.
	TooBig bool
	// Joining says that the client has not yet acknowledged the state it joins with, so
	// that nothing is known of what it holds.
	Joining bool
	// Held is the newest send of which the client has acknowledged the entity's state.
	Held uint32
	// Baseline is the send from which the next snapshot would tell the difference; 0: it
	// would tell the state in full. Second says that the send before it serves too.
	Baseline uint32
	Second   bool
	// Sent is the newest send of which a packet told of the entity, of the last 512 packets
	// to the client; Unacknowledged is how many of these are newer than Held, and neither
	// acknowledged nor replaced.
	Sent           uint32
	Unacknowledged int
	// OverBudget says that the newest snapshot did not hold all there was to tell, so that
	// entities compete: each send this one gains Priority, and Gained is what it has gained
	// since it was told of last.
	OverBudget       bool
	Priority, Gained float32
	// Budget bounds the client's snapshots in bytes, and Allowed the next one.
	Budget, Allowed int
}

// Baseline returns what a client knows of an entity; ok is false where there is no such
// client. It asks ServerConfig.Priority. It is for looking: its time grows with the
// number of packets and sends that are kept, not with that of entities.
func (s *Server) Baseline(client uint32, id components.NetID) (k Knowledge, ok bool) {
	p := s.sessions.byID[client]
	if p == nil {
		return k, false
	}
	k.Client, k.Entity = client, id
	if k.Everywhere = !s.model.snapshots; k.Everywhere {
		e, there := s.world.ByNetID(id)
		k.Exists = there && s.world.Alive(e)
		k.Own = k.Exists && ownership.Owner(s.world, e) == client
		k.Joining = s.status(p).Joining
		return k, true
	}
	k.Send, k.Budget, k.Allowed = s.sentAt, p.contest.budget, s.allowed(p)
	k.Joining, k.OverBudget = p.join.state != joinNone, p.contest.over
	f := s.frames.At(s.sentAt)
	g, slot, known := s.frames.Slot(id)
	if f == nil || !known || !holdsID(f, g, slot, id) || g >= len(p.baselines.World) {
		return k, true
	}
	k.Exists, k.Own = true, f.Owner(g, slot) == client
	h := &p.baselines.World[g]
	hidden, _ := h.Hidden()
	k.Hidden, k.TooBig = hidden&(1<<slot) != 0, h.LeftOut()&(1<<slot) != 0
	for age := range uint32(capture.Kept) {
		if !k.Hidden && age < f.Send && h.Holds(f.Send-age)&(1<<slot) != 0 && holdsID(s.frames.At(f.Send-age), g, slot, id) {
			k.Held = f.Send - age
			break
		}
	}
	if age, two, _ := h.Choose(f.Send+1, p.baselines.Floor(), 1<<slot, s.codecs.layout.Second(), baseline.MaxAge); age > 0 {
		if send := f.Send + 1 - age; holdsID(s.frames.At(send), g, slot, id) {
			k.Baseline, k.Second = send, two
		}
	}
	k.Sent, k.Unacknowledged = p.baselines.Told(uint32(g), slot, false, k.Held)
	k.Priority = s.gain(s.world, p, f, g, slot)
	if g < len(p.contest.accruedPriority) {
		k.Gained = p.contest.accruedPriority[g][slot]
	}
	if own := p.ownSlot(uint32(id)); own >= 0 {
		k.OwnSent, _ = p.baselines.Told(uint32(own/64), own%64, true, 0)
		for age := range uint32(baseline.OwnKept) {
			if age < f.Send && p.baselines.Own[own/64].Holds(f.Send-age)&(1<<(own%64)) != 0 {
				k.OwnHeld = f.Send - age
				break
			}
		}
	}
	return k, true
}

// holdsID reports whether a frame has an entity in a slot.
func holdsID(f *capture.Frame, g, slot int, id components.NetID) bool {
	return f != nil && g < len(f.Groups) && groupHolds(&f.Groups[g], slot, id)
}

func groupHolds(g *delta.Group, slot int, id components.NetID) bool {
	return g.Alive&(1<<slot) != 0 && g.IDs[slot] == uint32(id)
}

// ownSlot is the slot of an entity in its owner's own state, -1 for none.
func (p *peer) ownSlot(id uint32) int {
	for _, x := range p.own.slots {
		if x.id == id && x.slot/64 < len(p.baselines.Own) {
			return x.slot
		}
	}
	return -1
}
