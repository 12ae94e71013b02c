package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/interest"
)

// If the interest can hide something, each client is sent its own set of entities instead of groups. Both ends order a set by
// component masks and ids, so that neither the order nor the bytes depend on entities that the client does not see. Two
// clients with the same set, now and at the baseline, share the encoding.

// set holds the entities that a client sees, and those that it saw a short time ago.
type set struct {
	interest.Client
	shown   []uint64 // by group: slots in sight
	members []member // in the order of the wire
	seen    int      // members in sight
	left    int      // members out of sight
	// leftSince is the smallest floor at which prune may remove a member out of sight.
	leftSince uint32
	hash      uint64  // of the members in sight
	events    []event // changes of the set since the floor
	tooBig    []tooBig

	send    uint32 // of the newest snapshot
	sends   [capture.Kept]setSend
	whole   uint32  // newest acknowledged send with the whole set; 0: none
	oldest  uint32  // oldest send that a member needs as a baseline; 0: none
	perSize float32 // average bytes of a member in snapshots that did not hold everything
}

// member is an entity of a set.
type member struct {
	mask     uint64
	id       uint32
	since    uint32 // send at which the entity came into sight
	until    uint32 // send at which it went out of sight; 0: it is in sight
	group    int32  // place in frames
	slot     uint8
	hidden   bool    // it went out of sight, but still exists
	replaced bool    // the entity is in sight again, or with other components, as another member
	spawned  bool    // the entity was spawned in sight
	known    bool    // a packet with the entity was sent in an earlier epoch
	at       uint32  // newest send of a part of the set with the member; 0: none
	priority float32 // accumulated since it was last sent
	parts    uint64  // bit i: send at-i contained the member
}

// partsKept is the number of sends of which member.parts has a bit.
const partsKept = 64

// setSend describes the snapshot of one send.
type setSend struct {
	send  uint32
	open  int32  // datagrams that are not acknowledged
	whole bool   // it contained the whole set
	all   bool   // the client has all entities in sight once it has received the snapshot
	hash  uint64 // of the set
}

// event is a change of a set. Two snapshots with equal sets and equal events since the baseline are equal.
type event struct {
	send uint32
	hash uint64
}

// tooBig is an entity that fits no snapshot of the client.
type tooBig struct{ id, send uint32 }

// Kinds of events, mixed into their hashes.
const (
	eventSpawned = 1 + iota
	eventHidden
	eventGone
	eventReplaced
)

// mix returns an evenly distributed hash.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return high ^ low
}

// hash returns the part of a set's hash that belongs to a member.
func (m *member) hash() uint64 { return mix(uint64(m.id), m.mask) }

// compare orders members by component masks and ids.
func (m *member) compare(o *member) int {
	return cmp.Or(cmp.Compare(m.mask, o.mask), cmp.Compare(m.id, o.id), cmp.Compare(m.since, o.since))
}

// of returns the description of the snapshot of a send, or nil if it is no longer stored.
func (x *set) of(send uint32) *setSend {
	if s := &x.sends[send%capture.Kept]; s.send == send && send != 0 {
		return s
	}
	return nil
}

// canBase reports whether the snapshot of a send can be a baseline of another send: the client has acknowledged all its datagrams
// with a part of the set, and members still have a bit for it in parts.
func (x *set) canBase(base, send uint32) bool {
	s := x.of(base)
	return s != nil && s.open == 0 && (s.whole || send-base <= partsKept)
}

// holdsWhole reports whether the client has acknowledged the whole set of a send.
func (x *set) holdsWhole(send uint32) bool {
	s := x.of(send)
	return s != nil && s.open == 0 && s.whole
}

// anyComplete reports whether there is a send that can be a baseline.
func (x *set) anyComplete() bool {
	return slices.ContainsFunc(x.sends[:], func(s setSend) bool { return s.send != 0 && s.open == 0 })
}

// held reports whether the snapshot of a send contained a member, in sight or as gone.
func (x *set) held(m *member, s *setSend) bool {
	if s.whole {
		return m.since <= s.send
	}
	back := m.at - s.send
	return m.at >= s.send && back < partsKept && m.parts>>back&1 != 0
}

// based reports whether the snapshot of a send contained a member in sight. Then the member is part of that baseline.
func (x *set) based(m *member, s *setSend) bool {
	if m.since > s.send || m.until != 0 && m.until <= s.send {
		return false
	}
	return s.whole || x.held(m, s)
}

// sent records that the snapshot of a send contains a member but not the whole set.
func (m *member) sent(send uint32) {
	m.parts = m.parts<<(send-m.at) | 1 // a shift by 64 or more leaves nothing
	m.at = send
}

// everSent reports whether a packet with a member was sent.
func (x *set) everSent(m *member) bool {
	if m.known || m.at != 0 {
		return true
	}
	for age := range uint32(capture.Kept) { // as a rule the newest did
		if s := x.of(x.send - age); s != nil && x.held(m, s) {
			return true
		}
	}
	return false
}

// told reports whether the client has acknowledged that a member is out of sight, or the member that replaced it.
func (x *set) told(m *member) bool {
	if x.whole >= m.until {
		return true
	}
	if m.replaced {
		return x.newestHeld(x.find(m.id)) > 0
	}
	for i := range x.sends {
		if s := &x.sends[i]; s.send >= m.until && s.open == 0 && x.held(m, s) {
			return true
		}
	}
	return false
}

// acked records that the client acknowledged a datagram with a part of the set. It reports whether the client now has all
// entities that were in sight.
func (x *set) acked(send uint32) (all bool) {
	s := x.of(send)
	if s == nil || s.open == 0 {
		return false
	}
	if s.open--; s.open > 0 {
		return false
	}
	if s.whole {
		if x.whole = max(x.whole, send); x.perSize == 0 {
			x.oldest = x.whole
		}
	}
	return s.all
}

// oldestNeeded returns the oldest send, up to the given one, that later snapshots need as a baseline.
func (x *set) oldestNeeded(send uint32) uint32 {
	if x.oldest == 0 {
		return send
	}
	return min(send, x.oldest)
}

// forget starts an epoch, in which the client has nothing.
func (x *set) forget() {
	for i := range x.members {
		m := &x.members[i]
		m.known = m.known || x.everSent(m)
		m.at, m.parts = 0, 0
	}
	x.sends, x.whole, x.oldest = [capture.Kept]setSend{}, 0, 0
}

// find returns the member of an entity: the one in sight, or otherwise the newest. It returns nil if there is none.
func (x *set) find(id uint32) (found *member) {
	for i := range x.members {
		if m := &x.members[i]; m.id == id && (found == nil || m.until == 0 || found.until != 0 && m.since > found.since) {
			found = m
		}
	}
	return found
}

// inSnapshot reports whether the snapshot of a send contains a member in sight.
func (x *set) inSnapshot(m *member, send uint32) bool {
	s := x.of(send)
	return s != nil && x.based(m, s)
}

// newestHeld returns the newest send of which the client acknowledged a member, 0 for none.
func (x *set) newestHeld(m *member) (newest uint32) {
	for i := range x.sends {
		if s := &x.sends[i]; s.send > newest && s.open == 0 && x.based(m, s) {
			newest = s.send
		}
	}
	return newest
}

// choose returns the age of the youngest acknowledged snapshot of the whole set, 0 for none, and whether the send before it
// is a baseline too. For a second baseline it accepts a somewhat greater age.
func (x *set) choose(send, floor, oldest uint32, second bool) (age uint32, two bool) {
	for _, a := range baseline.Ages {
		if a > oldest || a >= send || send-a < floor {
			break
		}
		if !x.holdsWhole(send - a) {
			continue
		}
		switch pair := second && a < oldest && send-a > floor && x.holdsWhole(send-a-1); {
		case age == 0:
			age, two = a, pair
		case pair && !two && a <= 2*age+2:
			age, two = a, true
		}
		if two || !second {
			return age, two
		}
	}
	if age == 0 && x.whole != 0 && x.whole >= floor && send-x.whole <= oldest {
		age = send - x.whole
	}
	return age, two
}

// setScratch is memory for updating sets.
type setScratch struct {
	room    interest.Room
	entered []member
	gone    []uint64 // by group: slots out of sight since the previous snapshot
}

// updateSet finds which entities the client sees, and changes its set.
func (d *draft) updateSet() {
	c, f, frames := d.c, d.f, d.sys.frames
	x, y := &c.set, &d.sets.setScratch
	d.sys.config.Interest.See(&x.Client, c.sight, &y.room)
	x.shown = reuse.Longer(x.shown, len(f.Groups))
	y.entered = y.entered[:0]
	anyGone := false
	seen := x.Seen
	y.gone = reuse.Slice(y.gone, len(f.Groups))
	for g := range f.Groups {
		var now uint64
		if len(seen) > 0 && seen[0].Group == g {
			now, seen = seen[0].Slots, seen[1:]
		}
		was := x.shown[g]
		if y.gone[g] = 0; was|now == 0 {
			continue
		}
		if len(x.tooBig) > 0 {
			now &^= x.tooBigOf(f, g, now)
		}
		changed, moves := uint64(0), frames.Moves(g)
		if was != 0 && moves.Came > x.send {
			changed = moves.Arrived(was, x.send) | moves.Born(was, x.send)
		}
		y.gone[g] = was & (^now | changed)
		anyGone = anyGone || y.gone[g] != 0
		for m := now & (^was | changed); m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			y.entered = append(y.entered, member{
				mask: f.Groups[g].Masks[k], id: f.Groups[g].IDs[k], since: f.Send, group: int32(g), slot: uint8(k), priority: firstPriority,
			})
			if x.send != 0 && moves.Born(m&-m, x.send) != 0 {
				x.events = append(x.events, event{f.Send, mix(uint64(f.Groups[g].IDs[k]), eventSpawned)})
				y.entered[len(y.entered)-1].spawned = true
			}
		}
		x.shown[g] = now
	}
	slices.SortFunc(y.entered, func(a, b member) int { return cmp.Compare(a.id, b.id) })
	if anyGone {
		d.leaveSet()
	}
	if x.left > 0 && len(y.entered) > 0 {
		d.replaceLeft()
	}
	d.enterSet()
	x.send = f.Send
	x.prune(c.baselines.Floor())
}

// tooBigOf returns the slots of a group with entities that fit no snapshot. After leaveOutFor sends they are tried again.
func (x *set) tooBigOf(f *capture.Frame, g int, slots uint64) (out uint64) {
	x.tooBig = slices.DeleteFunc(x.tooBig, func(b tooBig) bool { return f.Send-b.send >= baseline.LeaveOutFor })
	for m := slots & f.Groups[g].Alive; m != 0; m &= m - 1 {
		if x.isTooBig(f.Groups[g].IDs[bits.TrailingZeros64(m)]) {
			out |= m & -m
		}
	}
	return out
}

func (x *set) isTooBig(id uint32) bool {
	return slices.ContainsFunc(x.tooBig, func(b tooBig) bool { return b.id == id })
}

// leaveSet marks the members that went out of sight.
func (d *draft) leaveSet() {
	x, y := &d.c.set, &d.sets.setScratch
	kept := 0
	for i := range x.members {
		m := &x.members[i]
		if m.until == 0 && y.gone[m.group]>>m.slot&1 != 0 {
			x.seen--
			x.hash ^= m.hash()
			m.until = d.f.Send
			m.hidden = d.exists(m.id)
			x.endReplaced(m)
			if !x.everSent(m) {
				continue
			}
			if x.left == 0 {
				x.leftSince = m.until
			}
			x.left++
			x.events = append(x.events, m.departure())
		}
		if kept != i {
			x.members[kept] = *m
		}
		kept++
	}
	x.members = x.members[:kept]
}

// replaceLeft marks the members out of sight whose entity came into sight again, as another member.
func (d *draft) replaceLeft() {
	x := &d.c.set
	for i := range x.members {
		m := &x.members[i]
		if m.until == 0 || m.replaced {
			continue
		}
		if _, again := slices.BinarySearchFunc(d.sets.entered, m.id, func(e member, id uint32) int { return cmp.Compare(e.id, id) }); again {
			m.replaced = true
			x.events = append(x.events, event{d.f.Send, m.departure().hash})
		}
	}
}

// departure returns the event of a member that is out of sight.
func (m *member) departure() event {
	kind := uint64(eventGone)
	if m.replaced {
		kind = eventReplaced
	} else if m.hidden {
		kind = eventHidden
	}
	return event{m.until, mix(m.hash(), kind)}
}

// endReplaced marks the earlier members of an entity out of sight to be sent as out of sight too, because the client may not have
// received the later member.
func (x *set) endReplaced(m *member) {
	if x.left == 0 {
		return
	}
	for i := range x.members {
		if o := &x.members[i]; o.id == m.id && o.replaced {
			o.replaced, o.hidden = false, m.hidden
			x.events = append(x.events, event{m.until, o.departure().hash})
		}
	}
}

// enterSet inserts the entities that came into sight.
func (d *draft) enterSet() {
	x, in := &d.c.set, d.sets.entered
	if len(in) == 0 {
		return
	}
	slices.SortFunc(in, func(a, b member) int { return a.compare(&b) })
	x.seen += len(in)
	i, k := len(x.members)-1, len(in)-1
	if n := len(x.members) + len(in); n <= cap(x.members) {
		x.members = x.members[:n]
	} else {
		x.members = append(make([]member, 0, n+n/8+4), x.members...)[:n] // a server has many sets
	}
	for at := len(x.members) - 1; k >= 0; at-- {
		if i >= 0 && x.members[i].compare(&in[k]) > 0 {
			x.members[at] = x.members[i]
			i--
			continue
		}
		x.hash ^= in[k].hash()
		x.members[at] = in[k]
		k--
	}
}

// prune removes members and events that no later snapshot needs: no baseline is older than floor.
func (x *set) prune(floor uint32) {
	if len(x.events) > 0 && x.events[0].send <= floor {
		x.events = slices.DeleteFunc(x.events, func(e event) bool { return e.send <= floor })
	}
	if x.left == 0 || x.leftSince > floor {
		return
	}
	x.leftSince = ^uint32(0)
	x.members = slices.DeleteFunc(x.members, func(m member) bool {
		if m.until == 0 || m.until > floor || !x.told(&m) {
			if m.until != 0 {
				x.leftSince = min(x.leftSince, max(m.until, floor+1))
			}
			return false
		}
		x.left--
		return true
	})
}
