package snapshot

import (
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/explain"
	"github.com/tactusgo/tactus/systems/internal/baseline"
)

// Explanations read what the stages left behind: hidden slots and slots left out (stage 2), the baseline that stage 3
// chooses, accumulated priorities (stage 4), and packed blocks (stage 5).

// recordDecisions records what was decided about watched entities of the client.
func (d *draft) recordDecisions() {
	for i := range d.sys.watches {
		if x := &d.sys.watches[i]; x.Client == d.c.id {
			d.record(x)
		}
	}
}

func (d *draft) record(x *explain.Watch) {
	to, c := x.Place(d.f.Send), d.c
	at := d.sys.startDecision(to, x.Entity, d.f, c)
	to.Allowed = d.pack.limit
	if to.Reason == explain.Absent {
		return
	}
	m := c.set.find(uint32(x.Entity))
	told := m != nil && c.set.inSnapshot(m, d.f.Send)
	for i := range d.pack.blocks {
		switch b := &d.pack.blocks[i]; {
		case b.hidden:
		case b.Set:
			if told {
				to.Reason, to.State = explain.Told, b.send
				if to.Age = max(to.Age, 0); b.Age > 0 && c.set.based(m, c.set.of(b.send-b.Age)) {
					to.Age, to.Second = int(b.Age), b.Two
				}
			}
		case b.Own:
			own := c.owner.find(uint32(x.Entity))
			to.OwnTold = to.OwnTold || own >= 0 && b.covers(c.owner.slots[own].slot/64, c.owner.slots[own].slot%64)
		case !b.covers(at.group, at.slot):
		case b.chunk < 0 || groupHolds(&c.join.stream.groups[at.group], at.slot, x.Entity):
			to.Reason, to.State, to.Age, to.Second = explain.Told, b.send, int(b.Age), b.Two
		}
	}
	if to.Reason != explain.Told {
		d.sys.explainUnsent(to, c, d.f, at, x.Entity)
	}
	if to.Reason == explain.Waits {
		to.Last = d.ranking.last
	}
}

// covers reports whether a block sends a slot of a group.
func (b *block) covers(group, slot int) bool {
	return uint32(group)-b.First < b.Count && b.Slots&(1<<slot) != 0
}

// spot is the place of an entity in frames.
type spot struct{ group, slot int }

// startDecision starts a decision about the state of a frame; its reason is Absent or Unknown.
func (s *System) startDecision(x *explain.Decision, id components.NetID, f *capture.Frame, c *Client) (at spot) {
	*x = explain.Decision{Send: f.Send, Tick: f.Tick, Age: -1, Said: explain.Said{Parts: x.Parts[:0]}, Reason: explain.Absent}
	g, slot, known := s.findSlot(c, id)
	if !known || !holdsID(f, g, slot, id) {
		if g, slot, known = search(f, id); !known {
			return spot{-1, 0}
		}
	}
	x.Reason, x.Own = explain.Unknown, f.Owner(g, slot) == c.id
	if f.Send == s.sends.newest && s.config.Interest.HidesComponents() && c.sees(g, slot) {
		x.Untold = s.config.Interest.Untold(&c.set.Client, g, slot)
	}
	return spot{g, slot}
}

// search finds an entity that is gone by now, or has moved to another slot.
func search(f *capture.Frame, id components.NetID) (group, slot int, ok bool) {
	for g := range f.Groups {
		if k := slices.Index(f.Groups[g].IDs[:], uint32(id)); k >= 0 && groupHolds(&f.Groups[g], k, id) {
			return g, k, true
		}
	}
	return 0, 0, false
}

// explainUnsent sets the reason why the newest send did not contain an entity.
func (s *System) explainUnsent(x *explain.Decision, c *Client, f *capture.Frame, at spot, id components.NetID) {
	var base uint32
	if c.limited {
		m := c.set.find(uint32(id))
		switch {
		case c.set.isTooBig(uint32(id)):
			x.Reason = explain.TooBig
			return
		case m == nil || m.until != 0:
			x.Reason, x.Parts = explain.Hidden, s.config.Interest.Explain(x.Parts, &c.set.Client, at.group, at.slot)
			return
		}
		x.Gained, base = m.priority, c.set.newestHeld(m)
	} else {
		h, bit := c.baselines.World.At(uint32(at.group)), uint64(1)<<at.slot
		if h == nil {
			return
		}
		if h.LeftOut()&bit != 0 {
			x.Reason = explain.TooBig
			return
		}
		if hidden, _ := h.Hidden(); hidden&bit != 0 {
			return
		}
		x.Gained = c.accumulated.get(at.group, at.slot)
		if age, _ := s.baselineOf(h, c, f.Send, at.slot); age > 0 {
			base = f.Send - age
		}
	}
	switch {
	case c.Joining():
		x.Reason = explain.Joining
	case s.sameState(base, f, at, id):
		x.Reason = explain.Current
	default:
		x.Reason = explain.Waits
	}
}

// sameState reports whether an entity has the same state at an earlier send.
func (s *System) sameState(send uint32, f *capture.Frame, at spot, id components.NetID) bool {
	old := s.frames.At(send)
	if !holdsID(old, at.group, at.slot, id) {
		return false
	}
	a, b := &old.Groups[at.group], &f.Groups[at.group]
	return a.Masks[at.slot] == b.Masks[at.slot] && slices.Equal(a.Record(at.slot), b.Record(at.slot))
}

// baselineOf returns the age of the baseline for a slot at a send, 0 for none, and whether the send before the baseline is used too.
func (s *System) baselineOf(h *baseline.Group, c *Client, send uint32, slot int) (age uint32, two bool) {
	age, two, _ = h.Choose(send, c.baselines.Floor(), 1<<slot, s.codecs.layout.Second(), min(baseline.MaxAge, s.frames.Depth()))
	return age, two
}

// Explain returns why the client was, or was not, sent the entity at a send. Of the sends of which something is stored,
// it chooses the one whose tick is nearest to the given one; [explain.Decision] names it. Before the first call, only
// packets are stored, for some seconds, and the reason may be [explain.Unknown]. From then on the decisions about this
// client and this entity are recorded for 256 sends, until nobody has asked for 15 seconds. At most eight pairs are
// recorded at a time; a ninth replaces the pair that was asked about longest ago. Call it on the goroutine of the
// server, like [System.Knowledge], before the next tick.
func (k *Knowledge) Explain(tick uint32) (d explain.Decision) {
	s, c := k.system, k.client
	if s == nil {
		d.Reason = explain.Everywhere
		if d.Own = k.Own; !k.Exists {
			d.Reason = explain.Absent
		}
		return d
	}
	newest := s.sends.newest
	w := s.watches.Of(c.id, k.Entity, newest+uint32(explain.Seconds*s.config.SendRate))
	best := ^uint32(0)
	for age := range min(max(explain.Sends, capture.Kept), newest) {
		x, f := w.At(newest-age), s.frames.At(newest-age)
		at := uint32(0)
		switch {
		case x != nil:
			at = x.Tick
		case f != nil:
			at = f.Tick
		default:
			continue
		}
		if far := max(at, tick) - min(at, tick); far < best {
			best = far
			if d = (explain.Decision{}); x != nil {
				d = *x
				d.Parts, d.Untold = slices.Clone(x.Parts), slices.Clone(x.Untold)
			} else {
				d.Send = f.Send
			}
		}
	}
	if d.Tick == 0 && d.Send != 0 {
		d = s.explainUnwatched(c, k.Entity, s.frames.At(d.Send))
	}
	return d
}

// explainUnwatched returns what is still known about a send at which the entity was not watched.
func (s *System) explainUnwatched(c *Client, id components.NetID, f *capture.Frame) (d explain.Decision) {
	at := s.startDecision(&d, id, f, c)
	if d.Reason == explain.Absent {
		return d
	}
	if c.limited {
		if m, sent := c.set.find(uint32(id)), c.set.of(f.Send); m != nil && sent != nil && c.set.based(m, sent) {
			d.State = f.Send
		}
	} else if h := c.baselines.World.At(uint32(at.group)); h != nil && h.Counts(f.Send, at.slot) {
		if d.State = c.baselines.SentState(f.Send, uint32(at.group), at.slot); d.State == 0 && h.Holds(f.Send)&(1<<at.slot) != 0 {
			d.State = f.Send
		}
	}
	switch {
	case d.State != 0:
		d.Reason = explain.Told
	case f.Send == s.sends.newest && c.send == f.Send:
		s.explainUnsent(&d, c, f, at, id)
	}
	return d
}
