package host

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Table is the rows of the view that have the same components: whole columns, as they lie in memory.
type Table struct {
	// Mask has bit i where the rows have the i-th of ecs.Protocol.Replicated.
	Mask uint64
	// Rows is how many there are.
	Rows int
	// Simulated reports whether this client simulates these entities.
	Simulated bool
	// NetIDs names the entities, four bytes each; nil where they are predicted spawns, which have no names yet.
	NetIDs []components.NetID
	// Handles names the rows, eight bytes each: the same as long as the entity is in the view, also while a predicted
	// spawn gets its NetID. The handle of a row of News is such eight bytes, as a number.
	Handles []ecs.Entity
	// Columns has, by the place of the component in ecs.Protocol.Replicated, where the column begins; nil where there is
	// none. Values are Schema.Size bytes apart.
	Columns []unsafe.Pointer
}

// view is what is drawn, as hosts see it.
type view struct {
	comps      []*ecs.Component
	shown      uint64 // components with values in the view
	world      *ecs.World
	tables     []Table
	n          int
	generation uint32
	moved      bool
	rows       [2]rows
}

func newView(p *ecs.Protocol) view {
	v := view{comps: p.Replicated()}
	for i, c := range v.comps {
		if c.Words > 0 && c != p.Input() {
			v.shown |= 1 << i
		}
	}
	return v
}

// read makes the tables those of a world, and tells which rows came and went.
func (v *view) read(w *ecs.World, news *chronicle) {
	was, before := v.n, &v.rows[0]
	if w != v.world {
		before.leave(news) // handles of another world
		v.world, v.moved = w, true
	}
	v.n = 0
	is := &v.rows[1]
	is.begin(before.n)
	if w != nil {
		for t := range w.Netcode().Tables {
			v.add(&t)
		}
		for t := range w.Netcode().Simulated {
			if t.NetIDs == nil {
				v.add(&t)
			}
		}
	}
	for i := range v.n {
		t := &v.tables[i]
		for r, e := range t.Handles {
			id := uint32(0)
			if t.NetIDs != nil {
				id = uint32(t.NetIDs[r])
			}
			key := handle(e)
			if is.put(key, id); !before.has(key) {
				news.add(News{Kind: NewsCame, Row: key, NetID: id}, nil)
			}
		}
	}
	before.without(is, news)
	v.rows[0], v.rows[1] = v.rows[1], v.rows[0]
	for i := v.n; i < was; i++ { // nothing of a table that is gone is kept from being collected
		cols := v.tables[i].Columns
		clear(cols)
		v.tables[i] = Table{Columns: cols}
	}
	if v.moved = v.moved || was != v.n; v.moved {
		v.generation++
		v.moved = false
	}
}

// add takes in a table.
func (v *view) add(t *ecs.Table) {
	if v.n == len(v.tables) {
		v.tables = append(v.tables, Table{Columns: make([]unsafe.Pointer, len(v.comps))})
	}
	x := &v.tables[v.n]
	v.n++
	mask := t.Mask & v.shown
	v.moved = v.moved || mask != x.Mask || len(t.Entities) != x.Rows || unsafe.SliceData(t.Entities) != unsafe.SliceData(x.Handles) ||
		unsafe.SliceData(t.NetIDs) != unsafe.SliceData(x.NetIDs)
	x.Mask, x.Rows, x.Simulated, x.NetIDs, x.Handles = mask, len(t.Entities), t.Simulated, t.NetIDs, t.Entities
	for i, c := range v.comps {
		var p unsafe.Pointer
		if mask>>i&1 != 0 {
			p = t.Column(c)
		}
		v.moved = v.moved || p != x.Columns[i]
		x.Columns[i] = p
	}
}

// handle is a row's handle as a number, as it lies in memory on machines that put the lowest byte first.
func handle(e ecs.Entity) uint64 {
	halves := (*[2]uint32)(unsafe.Pointer(&e))
	return uint64(halves[0]) | uint64(halves[1])<<32
}

// rows is a set of rows, by their handles. The zero value is empty.
type rows struct {
	slots []rowSlot // a power of two of them, at most half of them taken
	stamp uint32    // of those that are taken
	n     int
}

type rowSlot struct {
	key   uint64
	id    uint32
	stamp uint32
}

// begin empties the set, with room for about n.
func (s *rows) begin(n int) {
	for len(s.slots) < 2*n || len(s.slots) == 0 {
		s.slots, s.stamp = make([]rowSlot, max(64, 2*len(s.slots))), 0
	}
	s.n = 0
	if s.stamp++; s.stamp == 0 {
		clear(s.slots)
		s.stamp = 1
	}
}

// at is where a key is, or would be.
func (s *rows) at(key uint64) *rowSlot {
	mask := uint64(len(s.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		x := &s.slots[i&mask]
		if x.stamp != s.stamp || x.key == key {
			return x
		}
	}
}

func (s *rows) has(key uint64) bool {
	return s.n > 0 && s.at(key).stamp == s.stamp
}

func (s *rows) put(key uint64, id uint32) {
	if 2*(s.n+1) > len(s.slots) {
		old := *s
		s.slots, s.stamp, s.n = make([]rowSlot, 2*len(old.slots)), 1, 0
		for i := range old.slots {
			if x := &old.slots[i]; x.stamp == old.stamp {
				s.put(x.key, x.id)
			}
		}
	}
	*s.at(key) = rowSlot{key, id, s.stamp}
	s.n++
}

// without tells of the rows that another set does not have.
func (s *rows) without(other *rows, news *chronicle) {
	if s.n == 0 {
		return
	}
	for i := range s.slots {
		if x := &s.slots[i]; x.stamp == s.stamp && !other.has(x.key) {
			news.add(News{Kind: NewsGone, Row: x.key, NetID: x.id}, nil)
		}
	}
}

// leave tells of all rows that they are gone, and empties the set.
func (s *rows) leave(news *chronicle) {
	s.without(&rows{}, news)
	s.begin(0)
}
