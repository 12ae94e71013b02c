package host

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Table is a group of rows of the view with the same components. Its columns point into the client's memory.
type Table struct {
	// Mask has bit i set if the rows have component i of ecs.Protocol.Replicated.
	Mask uint64
	// Rows is the number of rows.
	Rows int
	// Simulated reports whether this client simulates these entities.
	Simulated bool
	// NetIDs has the NetID of each row, four bytes each. It is nil for predicted spawns, which have no NetID yet.
	NetIDs []components.NetID
	// Handles has the handle of each row, eight bytes each. The handle stays the same while the entity is in the view, even
	// when a predicted spawn receives its NetID. News.Row is the same eight bytes as a number.
	Handles []ecs.Entity
	// Columns has the address of each component's first value, by index in ecs.Protocol.Replicated. It is nil for
	// components that the rows lack. Values are Schema.Size bytes apart.
	Columns []unsafe.Pointer
}

// view is the state of the newest frame as hosts read it.
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

// read updates the tables from a world and adds news about rows that came and went.
func (v *view) read(w *ecs.World, news *newsQueue) {
	was, before := v.n, &v.rows[0]
	if w != v.world {
		before.removeAll(news) // handles of another world
		v.world, v.moved = w, true
	}
	v.n = 0
	is := &v.rows[1]
	is.reset(before.n)
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
	before.notifyRemoved(is, news)
	v.rows[0], v.rows[1] = v.rows[1], v.rows[0]
	for i := v.n; i < was; i++ { // release the memory of removed tables to the collector
		cols := v.tables[i].Columns
		clear(cols)
		v.tables[i] = Table{Columns: cols}
	}
	if v.moved = v.moved || was != v.n; v.moved {
		v.generation++
		v.moved = false
	}
}

// add appends a table, and notes in v.moved whether its memory has moved.
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

// handle returns a row's handle as a number: its bytes in little-endian order.
func handle(e ecs.Entity) uint64 {
	halves := (*[2]uint32)(unsafe.Pointer(&e))
	return uint64(halves[0]) | uint64(halves[1])<<32
}

// rows is a hash set of row handles. The zero value is empty.
type rows struct {
	slots []rowSlot // length is a power of two; at most half are used
	stamp uint32    // of the slots in use
	n     int
}

type rowSlot struct {
	key   uint64
	id    uint32
	stamp uint32
}

// reset empties the set and makes room for about n rows.
func (s *rows) reset(n int) {
	for len(s.slots) < 2*n || len(s.slots) == 0 {
		s.slots, s.stamp = make([]rowSlot, max(64, 2*len(s.slots))), 0
	}
	s.n = 0
	if s.stamp++; s.stamp == 0 {
		clear(s.slots)
		s.stamp = 1
	}
}

// slot returns the slot of key, or the free slot where put would store it.
func (s *rows) slot(key uint64) *rowSlot {
	mask := uint64(len(s.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		x := &s.slots[i&mask]
		if x.stamp != s.stamp || x.key == key {
			return x
		}
	}
}

func (s *rows) has(key uint64) bool {
	return s.n > 0 && s.slot(key).stamp == s.stamp
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
	*s.slot(key) = rowSlot{key, id, s.stamp}
	s.n++
}

// notifyRemoved adds news about the rows of s that are not in other.
func (s *rows) notifyRemoved(other *rows, news *newsQueue) {
	if s.n == 0 {
		return
	}
	for i := range s.slots {
		if x := &s.slots[i]; x.stamp == s.stamp && !other.has(x.key) {
			news.add(News{Kind: NewsGone, Row: x.key, NetID: x.id}, nil)
		}
	}
}

// removeAll adds news that all rows are gone, and empties the set.
func (s *rows) removeAll(news *newsQueue) {
	s.notifyRemoved(&rows{}, news)
	s.reset(0)
}
