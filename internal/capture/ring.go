package capture

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Kept is the maximum number of frames that a [Ring] stores. It stores those of 6.4 s, at least leastKept, but only as many as have
// keptGroups groups in total, and at least minKept.
const (
	Kept       = 256
	leastKept  = 128
	minKept    = 24
	keptGroups = 1 << 15
)

// Ring captures a world and stores the newest frames. Use it only from the world's goroutine. In steady state it
// allocates nothing.
type Ring struct {
	w            *ecs.World
	layout       *delta.Layout
	steps        int // simulation steps between two sends
	rate         int // sends per second, at least 1
	comps        []*ecs.Component
	hides        bool         // receivers may not see all entities
	restrictions restrictions // components that not every client may see

	frames frames
	slots  slots
	plans  map[uint64]*plan // by component mask
	tables []table          // in the order of the world; the variants of a table with restricted sets are adjacent
	late   []arrival
	words  []int32   // of all tables, during a capture
	truths []float64 // values of fields that are sent as lines, during a capture
	before []step    // values at the step before a send
	since  int       // steps since the newest frame
	newest uint32    // send of the newest frame
	gap    int       // sends between the previous frame and the current one

	clamped  []uint64
	clampLog clampLog
}

// table is one variant of a table of the world during a capture.
type table struct {
	of       ecs.Table
	variant  variant
	plan     *plan
	places   []place // of the rows; the previous send's places serve as a guess
	entities []ecs.Entity
	ids      []components.NetID
	owners   []uint32
	words    int // index of its first word
	truths   int
}

// arrival is a row without a slot.
type arrival struct {
	id         components.NetID
	table, row int32
	move       int // 1 plus the index of its move in slots.moved; 0: it was not captured before
}

// Config describes how a world is captured.
type Config struct {
	World  *ecs.World    // the world to capture
	Layout *delta.Layout // of the records
	Steps  int           // simulation steps between two sends, at least 1
	// Hides reports that receivers may not see all entities. Then the captured state of an entity depends on no other entity.
	Hides bool
	// Restricted are sets of components. A receiver knows all components of a set that an entity has, or none: see
	// [Frame.Restricted].
	Restricted []uint64
	Logger     logging.Logger // receives values outside their range, once per field
}

// New returns a ring without frames.
func New(c Config) *Ring {
	comps, steps := c.World.Protocol().Replicated(), max(c.Steps, 1)
	r := &Ring{
		w: c.World, layout: c.Layout, steps: steps, rate: max(c.World.TickRate()/steps, 1), comps: comps, hides: c.Hides,
		slots:    slots{places: map[variantID]place{}, byPlan: map[*plan]int32{}},
		plans:    map[uint64]*plan{},
		clamped:  make([]uint64, len(comps)),
		clampLog: newClampLog(comps, c.Logger),
	}
	r.frames.most = min(max(32*r.rate/5, leastKept), Kept)
	r.restrictions.sets = c.Restricted
	for _, c := range comps {
		if c.Mode&ecs.OwnerOnly != 0 {
			r.restrictions.private |= 1 << c.Replicated()
		}
	}
	return r
}

// At returns the frame of a send, or nil if it is no longer stored or was never captured.
func (r *Ring) At(send uint32) *Frame {
	if f := r.frames.bySend[send%Kept]; send != 0 && f != nil && f.Send == send {
		return f
	}
	for _, f := range r.frames.pinned {
		if f.Send == send && send != 0 {
			return f
		}
	}
	return nil
}

// Pin keeps a frame until [Ring.Unpin] was called as often.
func (r *Ring) Pin(f *Frame) { f.pins++ }

// Unpin ends a Pin.
func (r *Ring) Unpin(f *Frame) { f.pins-- }

// Depth returns the number of sends before the newest frame that are stored at least, while the number of groups
// stays about the same.
func (r *Ring) Depth() uint32 { return r.frames.depth }

// Slot returns the place of an entity in the newest frame, with all of its components.
func (r *Ring) Slot(id components.NetID) (group, slot int, ok bool) {
	for group, slot := range r.Slots(id) {
		return group, slot, true
	}
	return 0, 0, false
}

// Slots yields the groups and slots of an entity in the newest frame, first the one with all of its components: see
// [Frame.Restricted].
func (r *Ring) Slots(id components.NetID) iter.Seq2[int, int] {
	return func(yield func(group, slot int) bool) {
		for restricted := 1<<len(r.restrictions.sets) - 1; restricted >= 0; restricted-- {
			if p, ok := r.slots.places[variantID{id, uint8(restricted)}]; ok && !yield(int(p.group), int(p.slot)) {
				return
			}
		}
	}
}

// Moves returns how entities entered and left the slots of a group of the newest frame.
func (r *Ring) Moves(group int) *Moves { return &r.slots.groups[group].moves }

// Moved returns the moves of entities after a send, oldest first, unless that is too long ago.
func (r *Ring) Moved(after uint32) []Move { return r.slots.movedSince(after) }

// Clamped returns how many captured values of a component, by its index in [ecs.Protocol.Replicated], were outside
// their range.
func (r *Ring) Clamped(component int) uint64 { return r.clamped[component] }

// Step is called after each simulation step, and before Take if both follow the same step. Lines use the last two
// steps before a send.
func (r *Ring) Step() {
	r.since++
	if (r.since+1)%r.steps == 0 && r.steps > 1 {
		r.storeStep()
	}
}

// Take captures the world after tick as number send. send is not 0 and larger than the previous one, by more than
// one if sends were skipped.
func (r *Ring) Take(send, tick uint32) *Frame {
	r.gap = int(min(send-r.newest, maxGap+1))
	r.newest = send
	r.quantizeTables()
	r.slots.startSend(send)
	r.placeRows()
	f := r.frames.allocate(send, len(r.slots.groups))
	r.frames.latest.entities = reuse.Longer(r.frames.latest.entities, len(r.slots.groups))
	if len(r.restrictions.sets) > 0 {
		r.frames.latest.wholes = reuse.Longer(r.frames.latest.wholes, len(r.slots.groups))
	}
	f.reset(send, tick, len(r.slots.groups))
	for i := range f.Groups {
		r.writeGroup(f, i)
	}
	f.sort()
	r.slots.endSend(len(r.restrictions.sets))
	r.since = 0
	if r.steps == 1 {
		r.storeStep()
	}
	return f
}

// quantizeTables quantizes all columns of the world.
func (r *Ring) quantizeTables() {
	r.words, r.truths = r.words[:0], r.truths[:0]
	n := 0
	for t := range r.w.Netcode().Tables {
		for l := range r.restrictions.variants(t.Mask) {
			r.tables = reuse.Longer(r.tables, n+1)
			c := &r.tables[n]
			n++
			p := r.planOf(l.mask, c.plan)
			rows := len(t.Entities)
			*c = table{of: t, variant: l, plan: p, places: c.places, entities: t.Entities, ids: t.NetIDs, words: len(r.words), truths: len(r.truths)}
			r.words = slices.Grow(r.words, rows*p.width)[:c.words+rows*p.width]
			for _, part := range p.parts {
				comp := part.comp
				if clamped := comp.Schema.Quantize(r.words[c.words+part.at:], p.width, t.Column(comp), rows); clamped > 0 && l.whole() {
					r.clamped[comp.Replicated()] += uint64(clamped)
					r.clampLog.logColumn(comp, t)
				}
			}
			r.truths = p.truths(r.truths, t)
			if col := t.Column(r.comps[0]); col != nil {
				c.owners = unsafe.Slice((*uint32)(col), rows)
			}
		}
	}
	r.tables = r.tables[:n]
}

// placeRows finds the slot of each row. New entities receive slots in the order of their NetIDs, which does not
// depend on storage order.
func (r *Ring) placeRows() {
	r.late = r.late[:0]
	for i := range r.tables {
		t := &r.tables[i]
		t.places = reuse.Longer(t.places, len(t.ids))
		for row, id := range t.ids {
			p := &t.places[row]
			ok, move := p.id == id && r.slots.holds(*p, t.plan), 0
			if !ok {
				if *p, ok = r.slots.places[variantID{id, t.variant.restricted}]; ok && r.slots.groups[p.group].plan != t.plan {
					r.slots.free(*p, true)
					ok, move = false, len(r.slots.moved)
				}
			}
			a := arrival{id: id, table: int32(i), row: int32(row), move: move}
			if ok {
				r.slots.markSeen(*p, i, row)
			} else {
				r.late = append(r.late, a)
			}
		}
	}
	if len(r.late) == 0 {
		return
	}
	slices.SortFunc(r.late, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.table, b.table)) })
	for _, a := range r.late {
		t := &r.tables[a.table]
		p := r.slots.assign(a, t.plan)
		r.slots.markSeen(p, int(a.table), int(a.row))
		t.places[a.row] = p
	}
}

// writeGroup writes a group into a frame, in the order of slots.
func (r *Ring) writeGroup(f *Frame, group int) {
	g := &r.slots.groups[group]
	p := g.plan
	cur, owners, entities := &f.Groups[group], &f.owners[group], &r.frames.latest.entities[group]
	var whole *[delta.GroupSize]whole
	if len(r.restrictions.sets) > 0 {
		whole = &r.frames.latest.wholes[group]
	}
	for m := g.seen; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		row := int(g.rows[slot].row)
		t := &r.tables[g.rows[slot].table]
		words := r.words[t.words+row*p.width:][:p.width]
		if len(p.sets) > 0 {
			r.updateLines(g, slot, words)
		}
		copy(cur.Put(slot, uint32(g.ids[slot]), p.mask, p.width), words)
		entities[slot] = t.entities[row]
		owners[slot] = 0
		if whole != nil {
			at := r.tables[g.rows[slot].table+t.variant.above].places[row]
			whole[slot] = wholeAt(at, t.variant.has)
		}
		if t.owners != nil && t.owners[row] != 0 {
			owners[slot] = t.owners[row]
			if o := (Owned{t.owners[row], group, slot}); t.variant.whole() {
				f.owned = append(f.owned, o)
			} else {
				f.partly = append(f.partly, o)
			}
		}
	}
}
