package ecs

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
)

// maxRowFields bounds the component fields of a row struct, so that a walk
// needs no memory but the caller's stack.
const maxRowFields = 16

// cursor is the state of a walk. It lives on the walker's stack: walks may nest,
// stop early or be left by a panic, and leave nothing behind.
//
// A walk proceeds in runs, stretches of rows of one table. Without holds a run
// is a whole table.
type cursor struct {
	w        *World
	r        *row
	version  uint64 // of the world when the walk began
	scoped   bool   // leaves out what this peer does not simulate
	narrowed bool   // leaves out owners, too
	next     int    // table of r that follows

	t        *table
	start    int      // first row of the run
	entities []Entity // the rows of the run
	n        int      // fields in use
	more     bool     // the row has more to set than two pointers
	spare    uintptr  // offset for pointers that the row has no use for
	fields   [maxRowFields]aimed
}

// aimed is a field of the row struct while a run is walked.
type aimed struct {
	base   unsafe.Pointer // of the run's first component; nil where absent
	size   uintptr        // 0 where all rows share the base
	offset uintptr        // in the row struct
}

func (c *cursor) begin(w *World, r *row, scoped bool) {
	c.w, c.r, c.version, c.scoped = w, r, w.version, scoped
	c.n, c.more = len(r.fields), len(r.fields) > 2 || r.named
	c.narrowed = scoped && (w.only != 0 || len(w.held) > 0)
}

// run moves on to the next run; false at the end of the walk.
func (c *cursor) run() bool {
	if c.narrowed && c.t != nil && c.stretch(c.start+len(c.entities)) {
		return true
	}
	for c.next < len(c.r.tables) {
		t := c.r.tables[c.next]
		c.next++
		if c.scoped && !c.w.simulates(t) {
			continue
		}
		c.w.refresh(t)
		if t.n == 0 {
			continue
		}
		c.t = t
		if c.narrowed {
			if c.stretch(0) {
				return true
			}
			continue
		}
		c.aim(0, t.n)
		return true
	}
	return false
}

// stretch finds the next rows of the table, from row i on, whose owner is in
// scope.
func (c *cursor) stretch(i int) bool {
	t, w := c.t, c.w
	col := t.cols[w.protocol.ownerC.index]
	if col == nil { // all are the server's
		if i > 0 || w.only != 0 {
			return false
		}
		c.aim(0, t.n)
		return true
	}
	owners := unsafe.Slice((*components.Owner)(col), t.n)
	for i < t.n && !w.inScope(owners[i].Client) {
		i++
	}
	end := i
	for end < t.n && w.inScope(owners[end].Client) {
		end++
	}
	if i == end {
		return false
	}
	c.aim(i, end-i)
	return true
}

// aim makes rows start to start+n of the table the run.
func (c *cursor) aim(start, n int) {
	c.start = start
	c.entities = c.w.entities(c.t)[start : start+n]
	for k := range c.r.fields {
		c.fields[k] = c.r.fields[k].at(c.t, start)
	}
	for k := c.n; k < 2; k++ {
		c.fields[k] = aimed{nil, 0, c.spare}
	}
}

// at points a field at row i of t.
func (f *rowField) at(t *table, i int) aimed {
	switch {
	case !t.mask.has(f.index): // optional and absent
		return aimed{nil, 0, f.offset}
	case f.size == 0:
		return aimed{unsafe.Pointer(&nothing), 0, f.offset}
	}
	return aimed{unsafe.Add(t.cols[f.index], uintptr(i)*f.size), f.size, f.offset}
}

// check panics when the world changed structure since the walk began: the run's
// rows may have moved.
func (c *cursor) check() {
	if c.w.version != c.version {
		panicMoved()
	}
}

func panicMoved() {
	panic("ecs: the world changed structure during a walk: collect the entities first and change them after, or do it inside a system, where Spawn, Despawn, Add and Remove wait for the end of the stage")
}
