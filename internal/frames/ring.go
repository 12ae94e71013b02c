package frames

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// A [Ring] stores the frames of 6.4 s, at least leastKept and at most mostKept, but only as many as have keptGroups groups in total,
// and at least minKept.
const (
	leastKept  = 128
	mostKept   = 1024
	minKept    = 24
	keptGroups = 1 << 15
)

// Kept returns the maximum number of frames that are stored at a rate, in sends per second.
func Kept(rate int) int { return min(max(32*rate/5, leastKept), mostKept) }

// Ring captures a world and stores the newest frames. Use it only from the world's goroutine. In steady state it
// allocates nothing.
type Ring struct {
	w          *ecs.World
	layout     *delta.Layout
	steps      int // simulation steps from one number of a send to the next
	rate       int // numbers per second, at least 1
	comps      []*ecs.Component
	hides      bool     // receivers may not see all entities
	private    uint64   // components that only the owner may see
	restricted []uint64 // see [Config]

	frames frames
	slots  slots
	plans  map[uint64]*plan // by component mask
	tables []table          // in the order of the world
	late   []arrival
	words  []int32   // of all tables, during a capture
	truths []float64 // values of fields that are sent as lines, during a capture
	before []step    // values at the step before a send
	stored int       // steps from the newest frame to that step
	since  int       // steps since the newest frame
	every  uint32    // the next frame is due at the next multiple of this number
	newest uint32    // number of the newest frame
	tick   uint32    // its tick

	unit      int        // simulation steps in which lines measure their change
	span      delta.Span // from the previous frame to the current one
	continues bool       // it is short enough for lines to continue

	carry carry

	clamped  []uint64
	clampLog clampLog
}

// table is a table of the world during a capture.
type table struct {
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
}

// Config describes how a world is captured.
type Config struct {
	World  *ecs.World    // the world to capture
	Layout *delta.Layout // of the records
	Steps  int           // simulation steps from one number of a send to the next, at least 1
	// Hides reports that receivers may not see all entities. Then the captured state of an entity depends on no other entity.
	Hides bool
	// Restricted are disjoint sets of components. A receiver may see all components of a set that an entity has, or none. The captured
	// values of a component then depend on no component of another set.
	Restricted []uint64
	Logger     logging.Logger // receives values outside their range, once per field
}

// New returns a ring without frames.
func New(c Config) *Ring {
	comps, steps := c.World.Protocol().Replicated(), max(c.Steps, 1)
	r := &Ring{
		w: c.World, layout: c.Layout, steps: steps, rate: max(c.World.TickRate()/steps, 1), comps: comps, hides: c.Hides || len(c.Restricted) > 0,
		restricted: c.Restricted, unit: c.Layout.LineSteps(), every: 1,
		slots:    slots{places: map[components.NetID]place{}},
		plans:    map[uint64]*plan{},
		clamped:  make([]uint64, len(comps)),
		clampLog: newClampLog(comps, c.Logger),
	}
	r.frames.bySend = make([]*Frame, Kept(r.rate))
	for _, c := range comps {
		if c.Mode&ecs.OwnerOnly != 0 {
			r.private |= 1 << c.Replicated()
		}
	}
	return r
}

// At returns the frame of a send, or nil if it is no longer stored or was never captured.
func (r *Ring) At(send uint32) *Frame {
	if f := *r.frames.place(send); send != 0 && f != nil && f.Send == send {
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

// Slot returns the place of an entity in the newest frame.
func (r *Ring) Slot(id components.NetID) (group, slot int, ok bool) {
	p, ok := r.slots.places[id]
	return int(p.group), int(p.slot), ok
}

// Changes returns since when the slots of a group of the newest frame have their entities.
func (r *Ring) Changes(group int) *Changes { return &r.slots.groups[group].changes }

// Clamped returns how many captured values of a component, by its index in [ecs.Protocol.Replicated], were outside
// their range.
func (r *Ring) Clamped(component int) uint64 { return r.clamped[component] }

// SetEvery announces that the number of the next frame is a multiple of every, and those of later ones too. Default: 1.
func (r *Ring) SetEvery(every uint32) { r.every = every }

// Step is called after each simulation step, and before Take if both follow the same step. Lines use the last two
// steps before a send.
func (r *Ring) Step() {
	r.since++
	if !r.isDue(r.tick+uint32(r.since)) && r.isDue(r.tick+uint32(r.since)+1) {
		r.storeStep()
	}
}

// isDue reports whether a frame is due after a tick.
func (r *Ring) isDue(tick uint32) bool { return tick%(r.every*uint32(r.steps)) == 0 }

// Take captures the world after tick as a send. send is not 0 and larger than the previous one.
func (r *Ring) Take(send, tick uint32) *Frame {
	number := tick / uint32(r.steps)
	r.span = r.layout.Span(r.newest, number)
	r.continues = r.newest != 0 && r.span.Steps() <= maxGap*r.unit
	r.newest, r.tick = number, tick
	r.quantizeTables()
	r.slots.startSend(send)
	r.placeRows()
	f := r.frames.allocate(send, number, len(r.slots.groups))
	r.frames.latest.entities = reuse.Longer(r.frames.latest.entities, len(r.slots.groups))
	f.reset(send, number, tick, len(r.slots.groups))
	for i := range f.Groups {
		r.writeGroup(f, i)
	}
	f.sort()
	r.slots.endSend()
	r.since = 0
	if r.isDue(tick + 1) {
		r.storeStep()
	}
	return f
}

// quantizeTables quantizes all columns of the world.
func (r *Ring) quantizeTables() {
	r.words, r.truths = r.words[:0], r.truths[:0]
	n := 0
	for t := range r.w.Netcode().Tables {
		r.tables = reuse.Longer(r.tables, n+1)
		c := &r.tables[n]
		n++
		p := r.planOf(t.Mask&^r.private, c.plan)
		rows := len(t.Entities)
		*c = table{plan: p, places: c.places, entities: t.Entities, ids: t.NetIDs, words: len(r.words), truths: len(r.truths)}
		r.words = slices.Grow(r.words, rows*p.width)[:c.words+rows*p.width]
		for _, part := range p.parts {
			comp := part.comp
			if clamped := comp.Schema.Quantize(r.words[c.words+part.at:], p.width, t.Column(comp), rows); clamped > 0 {
				r.clamped[comp.Replicated()] += uint64(clamped)
				r.clampLog.logColumn(comp, t)
			}
		}
		r.truths = p.truths(r.truths, t)
		if col := t.Column(r.comps[0]); col != nil {
			c.owners = unsafe.Slice((*uint32)(col), rows)
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
			ok := p.id == id && r.slots.holds(*p)
			if !ok {
				*p, ok = r.slots.places[id]
			}
			if ok {
				r.slots.markSeen(*p, i, row)
			} else {
				r.late = append(r.late, arrival{id, int32(i), int32(row)})
			}
		}
	}
	if len(r.late) == 0 {
		return
	}
	slices.SortFunc(r.late, func(a, b arrival) int { return cmp.Compare(a.id, b.id) })
	for _, a := range r.late {
		p := r.slots.assign(a.id)
		r.slots.markSeen(p, int(a.table), int(a.row))
		r.tables[a.table].places[a.row] = p
	}
}

// writeGroup writes a group into a frame, in the order of slots.
func (r *Ring) writeGroup(f *Frame, group int) {
	g := &r.slots.groups[group]
	cur, owners, entities := &f.Groups[group], &f.owners[group], &r.frames.latest.entities[group]
	for m := g.seen; m != 0; m &= m - 1 {
		slot := bits.TrailingZeros64(m)
		row := int(g.rows[slot].row)
		t := &r.tables[g.rows[slot].table]
		p := t.plan
		if g.plans[slot] != p {
			r.replan(g, slot, p)
		}
		words := r.words[t.words+row*p.width:][:p.width]
		if len(p.sets) > 0 {
			r.updateLines(g, slot, words)
		}
		copy(cur.Put(slot, uint32(g.ids[slot]), p.mask, p.width), words)
		entities[slot] = t.entities[row]
		owners[slot] = 0
		if t.owners != nil && t.owners[row] != 0 {
			owners[slot] = t.owners[row]
			f.owned = append(f.owned, Owned{t.owners[row], group, slot})
		}
	}
}

// replan gives a slot the plan of its entity's components. The lines of sets that the entity has kept go on.
func (r *Ring) replan(g *group, slot int, p *plan) {
	old, c := g.plans[slot], &r.carry
	if g.plans[slot] = p; old != nil {
		g.changes.Newest, g.changes.changed[slot] = r.slots.send, r.slots.send
		c.lines, c.bends = append(c.lines[:0], g.lines[slot]...), append(c.bends[:0], g.bends[slot]...)
	}
	g.lines[slot], g.bends[slot] = reuse.Slice(g.lines[slot], p.lines), reuse.Slice(g.bends[slot], len(p.sets))
	for i := range p.sets {
		g.bends[slot][i] = bend{fresh: true}
		if old == nil {
			continue
		}
		if k := old.find(p, i); k >= 0 {
			g.bends[slot][i] = c.bends[k]
			for n := range p.sets[i].fields {
				g.lines[slot][p.sets[i].fields[n].line] = c.lines[old.sets[k].fields[n].line]
			}
		}
	}
}

// carry holds the lines of an entity whose components change.
type carry struct {
	lines []line
	bends []bend
}
