package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 2: views. If nothing is hidden, all clients share one view. Otherwise each client has its own, and a spectator uses the
// view of the client that it watches. A view is updated once per send, and holds nothing about the clients that use it.

// view holds the entities that its clients see, and those that they saw a short time ago. Both ends order entities by component
// masks and ids, so that neither the order nor the bytes depend on entities that a client does not see. Two views with the same
// entities, now and at the baseline, share their encodings.
type view struct {
	interest.Client
	sight  uint32 // the client whose interest decides; 0: everything is visible
	users  int
	due    bool   // a user is sent a snapshot of this send
	oldest uint32 // oldest send that a user may need as a baseline

	shown   []interest.Seen // by group: slots in sight
	members []member        // in the order of the wire
	indexes int             // indexes of members that were ever used
	free    []int32         // indexes of no member
	entered uint32          // newest send at which a member came into sight
	seen    int             // members in sight
	left    int             // members out of sight
	// leftSince is the smallest until of a member.
	leftSince uint32
	events    []event // changes of the view, for as long as members out of sight are kept
	tooBig    []tooBig
	turn      int // the chunk whose turn it is, if the view does not fit
	perTurn   int // chunks of a snapshot, on average
	turns     int // chunks of the snapshots of this send
	took      int // these snapshots

	send   uint32     // newest update
	hash   uint64     // of the members in sight
	hashes []sendHash // a ring; of the private view: none
}

// sendHash is the hash of the members in sight at a send.
type sendHash struct {
	send uint32
	hash uint64
}

// member is an entity of a view.
type member struct {
	mask     uint64
	id       uint32
	since    uint32 // send at which the entity came into sight
	until    uint32 // send at which it went out of sight; 0: it is in sight
	ended    uint32 // send since which clients must be told that it is out of sight: until, or later if it was replaced
	group    int32  // place in frames
	index    int32  // of the records that clients keep about members
	before   int32  // index + 1 of the member that the entity was before; 0: none
	slot     uint8
	hidden   bool // it went out of sight, but still exists
	replaced bool // the entity is in sight again, or with other components, as another member
	spawned  bool // the entity was spawned in sight
}

// event is a change of a view. Two snapshots with equal views and equal events since the baseline are equal.
type event struct {
	send uint32
	hash uint64
}

// leaveOutFor is the number of sends for which an entity that fits no snapshot is left out.
const leaveOutFor = 64

// tooBig is an entity that fits no datagram.
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

// hash returns the part of a view's hash that belongs to a member.
func (m *member) hash() uint64 { return mix(uint64(m.id), m.mask) }

// compare orders members by component masks and ids.
func (m *member) compare(o *member) int {
	return cmp.Or(cmp.Compare(m.mask, o.mask), cmp.Compare(m.id, o.id), cmp.Compare(m.since, o.since))
}

// in reports whether a member was in sight at a send.
func (m *member) in(send uint32) bool { return m.since <= send && (m.until == 0 || m.until > send) }

// hashAt returns the hash of the view at a send. ok is false if the view was not updated at that send, or too long ago.
func (v *view) hashAt(send uint32) (hash uint64, ok bool) {
	if len(v.hashes) == 0 {
		return 0, false
	}
	x := &v.hashes[send%uint32(len(v.hashes))]
	return x.hash, x.send == send
}

// was reports whether the view had a hash at a send.
func (v *view) was(send uint32, hash uint64) bool {
	x, ok := v.hashAt(send)
	return ok && x == hash
}

// find returns the member of an entity: the one in sight, or otherwise the newest. It returns nil if there is none.
func (v *view) find(id uint32) (found *member) {
	for i := range v.members {
		if m := &v.members[i]; m.id == id && (found == nil || m.until == 0 || found.until != 0 && m.since > found.since) {
			found = m
		}
	}
	return found
}

// sees reports whether a slot of a group is in sight.
func (v *view) sees(group, slot int) bool {
	return group < len(v.shown) && v.shown[group].Slots>>slot&1 != 0
}

// viewScratch is memory for updating views.
type viewScratch struct {
	room    interest.Room
	entered []member
	gone    []uint64 // by group: slots out of sight since the previous update
	changed []uint64 // by group: slots whose entity may have other components, or the client may see others
}

// updateViews updates the views of all clients that are sent a snapshot of this send.
func (s *System) updateViews(f *frames.Frame) {
	for _, v := range s.views {
		v.nextTurn()
		v.due, v.oldest = false, f.Send-min(f.Send, s.remembered())
	}
	for _, c := range s.clients {
		if s.isDue(c) {
			c.view.due = true
		}
		if c.join.stream != nil {
			c.view.oldest = min(c.view.oldest, c.join.stream.send)
		}
		if k := c.held.joined; k != nil {
			c.view.oldest = min(c.view.oldest, k.send)
		}
	}
	s.config.Workers.Each(len(s.views), s.shared.update)
}

// remembered returns the number of sends for which views remember entities that went out of sight: as long as a send can be a baseline.
func (s *System) remembered() uint32 { return max(s.frames.Depth()+1, leastRemembered) }

func (d *draft) remembered() uint32 {
	if d.own {
		return 2 * wire.OwnKept
	}
	return d.sys.remembered()
}

const leastRemembered = 128

// updateView updates the i-th view.
func (s *System) updateView(worker, i int) {
	if v := s.views[i]; v.due {
		s.drafts[worker].updateView(v)
	}
}

// viewOf returns the view of a client with the sight of another, 0 for everything.
func (s *System) viewOf(sight uint32) *view {
	if !s.config.Interest.Limits() {
		sight = 0
	}
	i := slices.IndexFunc(s.views, func(v *view) bool { return v.sight == sight })
	if i < 0 {
		i = len(s.views)
		v := &view{sight: sight, hashes: make([]sendHash, frames.Kept(s.config.SendRate))}
		v.All = sight == 0
		s.views = append(s.views, v)
	}
	s.views[i].users++
	return s.views[i]
}

// leaveView ends the use of a view.
func (s *System) leaveView(v *view) {
	if v.users--; v.users == 0 {
		s.views = slices.DeleteFunc(s.views, func(x *view) bool { return x == v })
	}
}

// look sets v.Seen to the entities of the newest frame that the view shows.
func (d *draft) look(v *view) {
	if d.sys.config.Interest.Limits() {
		d.sys.config.Interest.See(&v.Client, v.sight, &d.views.room)
		return
	}
	v.Seen = v.Seen[:0]
	for g := range d.f.Groups {
		if alive := d.f.Groups[g].Alive; alive != 0 {
			v.Seen = append(v.Seen, interest.Seen{Group: g, Slots: alive})
		}
	}
}

// updateView finds which entities are in sight, and changes the view.
func (d *draft) updateView(v *view) {
	f, ring, y := d.f, d.sys.frames, &d.views
	d.look(v)
	v.shown = reuse.Longer(v.shown, len(f.Groups))
	y.entered = y.entered[:0]
	y.gone, y.changed = reuse.Slice(y.gone, len(f.Groups)), reuse.Slice(y.changed, len(f.Groups))
	anyGone, anyChanged := false, false
	seen := v.Seen
	for g := range f.Groups {
		now := interest.Seen{Group: g}
		if len(seen) > 0 && seen[0].Group == g {
			now, seen = seen[0], seen[1:]
		}
		was, changes := v.shown[g], ring.Changes(g)
		if y.gone[g], y.changed[g] = 0, 0; was.Slots|now.Slots == 0 {
			continue
		}
		if len(v.tooBig) > 0 {
			now.Slots &^= v.tooBigOf(f, g, now.Slots)
		}
		stay := was.Slots & now.Slots
		if stay != 0 && changes.Newest > v.send {
			y.changed[g] = changes.Changed(stay, v.send)
			stay &^= changes.Came(stay, v.send)
		}
		for i := range now.Hidden {
			y.changed[g] |= now.Hidden[i] ^ was.Hidden[i]
		}
		y.changed[g] &= stay
		y.gone[g] = was.Slots &^ stay
		anyGone, anyChanged = anyGone || y.gone[g] != 0, anyChanged || y.changed[g] != 0
		v.shown[g] = now
		for m := now.Slots &^ stay; m != 0; m &= m - 1 {
			d.enter(v, g, bits.TrailingZeros64(m), v.send != 0 && changes.Came(m&-m, v.send) != 0)
		}
	}
	if anyChanged {
		for i := range v.members {
			if m := &v.members[i]; m.until == 0 && y.changed[m.group]>>m.slot&1 != 0 && d.maskOf(v, int(m.group), int(m.slot)) != m.mask {
				d.enter(v, int(m.group), int(m.slot), false)
				y.gone[m.group] |= 1 << m.slot
				anyGone = true
			}
		}
	}
	slices.SortFunc(y.entered, func(a, b member) int { return cmp.Compare(a.id, b.id) })
	d.changeView(v, anyGone)
	v.hashes[f.Send%uint32(len(v.hashes))] = sendHash{f.Send, v.hash}
}

// maskOf returns the components that a view shows of the entity in a slot.
func (d *draft) maskOf(v *view, group, slot int) uint64 {
	return d.sys.config.Interest.Mask(&v.shown[group], slot, d.f.Groups[group].Masks[slot])
}

// enter notes that the entity in a slot comes into sight.
func (d *draft) enter(v *view, group, slot int, spawned bool) {
	d.views.entered = append(d.views.entered, member{
		mask: d.maskOf(v, group, slot), id: d.f.Groups[group].IDs[slot], since: d.f.Send, group: int32(group), slot: uint8(slot), spawned: spawned,
	})
}

// changeView changes the members of a view.
func (d *draft) changeView(v *view, anyGone bool) {
	if anyGone {
		d.leaveView(v)
	}
	if v.left > 0 && len(d.views.entered) > 0 {
		d.replaceLeft(v)
	}
	d.enterView(v)
	v.send = d.f.Send
	v.prune()
}

// tooBigOf returns the slots of a group with entities that fit no datagram. After leaveOutFor sends they are tried again.
func (v *view) tooBigOf(f *frames.Frame, g int, slots uint64) (out uint64) {
	v.retryTooBig(f.Send)
	for m := slots & f.Groups[g].Alive; m != 0; m &= m - 1 {
		if v.isTooBig(f.Groups[g].IDs[bits.TrailingZeros64(m)]) {
			out |= m & -m
		}
	}
	return out
}

func (v *view) retryTooBig(send uint32) {
	v.tooBig = slices.DeleteFunc(v.tooBig, func(b tooBig) bool { return send-b.send >= leaveOutFor })
}

func (v *view) isTooBig(id uint32) bool {
	return slices.ContainsFunc(v.tooBig, func(b tooBig) bool { return b.id == id })
}

// leaveView marks the members that went out of sight.
func (d *draft) leaveView(v *view) {
	for i := range v.members {
		m := &v.members[i]
		if m.until != 0 || d.views.gone[m.group]>>m.slot&1 == 0 {
			continue
		}
		v.seen--
		v.hash ^= m.hash()
		m.until, m.ended = d.f.Send, d.f.Send
		m.hidden = d.exists(m.id)
		v.endReplaced(m)
		if v.left == 0 {
			v.leftSince = m.until
		}
		v.left++
		v.events = append(v.events, m.departure())
	}
}

// replaceLeft marks the members out of sight whose entity came into sight again, as another member.
func (d *draft) replaceLeft(v *view) {
	for i := range v.members {
		m := &v.members[i]
		if m.until == 0 || m.replaced {
			continue
		}
		if i, again := slices.BinarySearchFunc(d.views.entered, m.id, func(e member, id uint32) int { return cmp.Compare(e.id, id) }); again {
			m.replaced, d.views.entered[i].before = true, m.index+1
			v.events = append(v.events, event{d.f.Send, m.departure().hash})
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

// endReplaced marks the earlier members of an entity out of sight to be sent as out of sight too, because a client may not have
// received the later member.
func (v *view) endReplaced(m *member) {
	if v.left == 0 {
		return
	}
	for i := range v.members {
		if o := &v.members[i]; o.id == m.id && o.replaced {
			o.replaced, o.hidden, o.ended = false, m.hidden, m.until
			v.events = append(v.events, event{m.until, o.departure().hash})
		}
	}
}

// enterView inserts the entities that came into sight.
func (d *draft) enterView(v *view) {
	in := d.views.entered
	if len(in) == 0 {
		return
	}
	for i := range in {
		if in[i].spawned {
			v.events = append(v.events, event{d.f.Send, mix(uint64(in[i].id), eventSpawned)})
		}
		in[i].index = v.takeIndex()
		if len(v.hashes) == 0 { // in the private view, the index is the place in frames
			in[i].group, in[i].slot = in[i].index/delta.GroupSize, uint8(in[i].index%delta.GroupSize)
		}
	}
	slices.SortFunc(in, func(a, b member) int { return a.compare(&b) })
	v.seen += len(in)
	v.entered = d.f.Send
	i, k := len(v.members)-1, len(in)-1
	if n := len(v.members) + len(in); n <= cap(v.members) {
		v.members = v.members[:n]
	} else {
		v.members = append(make([]member, 0, n+n/8+4), v.members...)[:n] // a server may have many views
	}
	for at := len(v.members) - 1; k >= 0; at-- {
		if i >= 0 && v.members[i].compare(&in[k]) > 0 {
			v.members[at] = v.members[i]
			i--
			continue
		}
		v.hash ^= in[k].hash()
		v.members[at] = in[k]
		k--
	}
}

// takeIndex returns an index that no member has.
func (v *view) takeIndex() int32 {
	if n := len(v.free); n > 0 {
		i := v.free[n-1]
		v.free = v.free[:n-1]
		return i
	}
	v.indexes++
	return int32(v.indexes - 1)
}

// prune removes the members that went out of sight at or before the oldest possible baseline, and the events up to it.
func (v *view) prune() {
	if len(v.events) > 0 && v.events[0].send <= v.oldest {
		v.events = slices.DeleteFunc(v.events, func(e event) bool { return e.send <= v.oldest })
	}
	if v.left == 0 || v.leftSince > v.oldest {
		return
	}
	v.leftSince = ^uint32(0)
	v.members = slices.DeleteFunc(v.members, func(m member) bool {
		if m.until == 0 || m.until > v.oldest {
			if m.until != 0 {
				v.leftSince = min(v.leftSince, m.until)
			}
			return false
		}
		v.left--
		v.free = append(v.free, m.index)
		return true
	})
}

// exists reports whether the world of the send has an entity.
func (d *draft) exists(id uint32) bool {
	_, _, ok := d.sys.frames.Slot(components.NetID(id))
	return ok
}
