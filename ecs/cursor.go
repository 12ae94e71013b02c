package ecs

import (
	"unsafe"
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
	scope    walkScope
	next     int      // table of r that follows
	runAt    int32    // place in the index of owners: see stretch
	serial   uint32   // of that index
	t        *table   // of the run,
	start    int      // its first row,
	entities []Entity // and who they are
	aim      rowAim
}

// walkScope is what a walk leaves out.
type walkScope struct {
	simulated bool   // what this peer does not simulate
	narrowed  bool   // owners, too: those skipped, or
	one       bool   // all but one,
	owner     uint32 // this
}

// rowAim is the row struct of a walk, aimed at the columns of a run.
type rowAim struct {
	n      int     // fields in use
	more   bool    // there is more to set than two pointers,
	most   bool    // than three
	spare  uintptr // offset for pointers that the row has no use for
	fields [maxRowFields]aimed
}

// aimed is a field of the row struct while a run is walked.
type aimed struct {
	base   unsafe.Pointer // of the run's first component; nil where absent
	size   uintptr        // 0 where all rows share the base
	offset uintptr        // in the row struct
}

func (c *cursor) begin(w *World, r *row, scoped bool) {
	c.w, c.r, c.version, c.scope.simulated = w, r, w.storage.version, scoped
	c.aim.n, c.aim.more = len(r.fields), len(r.fields) > 2 || r.named
	c.aim.most = len(r.fields) > 3 || r.named
	if scoped && (w.owners.only != 0 || len(w.owners.skipped) > 0) {
		c.scope.narrowed, c.scope.one, c.scope.owner = true, w.owners.only != 0, w.owners.only
	}
}

// narrow leaves one owner's entities of those in scope.
func (c *cursor) narrow(owner uint32) {
	if c.scope.one && c.scope.owner != owner || c.scope.narrowed && !c.scope.one && c.w.owners.skips(owner) {
		c.next = len(c.r.tables)
	}
	c.scope.narrowed, c.scope.one, c.scope.owner = true, true, owner
}

// run moves on to the next run; false at the end of the walk.
func (c *cursor) run() bool {
	if c.scope.narrowed && c.t != nil && c.stretch(c.start+len(c.entities)) {
		return true
	}
	for c.next < len(c.r.tables) {
		t := c.r.tables[c.next]
		c.next++
		if c.scope.simulated && !c.w.simulates(t) {
			continue
		}
		c.w.storage.refresh(t)
		if t.n == 0 {
			continue
		}
		c.t = t
		if c.scope.narrowed {
			if c.stretch(0) {
				return true
			}
			continue
		}
		c.aimAt(0, t.n)
		return true
	}
	return false
}

// stretch finds the next rows of the table, from row i on, whose owner is in
// scope. Who owns a row is settled when the walk comes to its table; rows that
// change owner later are visited or not, but never twice.
func (c *cursor) stretch(i int) bool {
	t, w := c.t, c.w
	if t.cols[w.setup.protocol.core.owner.index] == nil { // all are the server's
		if i > 0 || c.scope.one && c.scope.owner != 0 {
			return false
		}
		c.aimAt(0, t.n)
		return true
	}
	o := &t.owners
	if i == 0 {
		o = w.ownersOf(t)
		c.serial, c.runAt = o.serial, 0
		if c.scope.one {
			c.runAt = o.first(c.scope.owner)
		} else if !w.owners.skipsIn(o) {
			c.aimAt(0, t.n)
			return true
		}
	} else if c.serial != o.serial { // made again by a walk inside this one
		c.serial, c.runAt = o.serial, 0
		if c.scope.one {
			c.runAt = o.first(c.scope.owner)
		}
	}
	if c.scope.one {
		return c.nextOwned(o, int32(i))
	}
	return c.nextUnskipped(o, int32(i))
}

// nextOwned makes the owner's next run that ends behind row i the run.
func (c *cursor) nextOwned(o *rowRuns, i int32) bool {
	for c.runAt > 0 {
		run := &o.all[c.runAt-1]
		c.runAt = run.next
		if run.end > i {
			c.aimTo(max(run.start, i), run.end)
			return true
		}
	}
	return false
}

// nextUnskipped makes the next rows from i on that nobody holds the run.
func (c *cursor) nextUnskipped(o *rowRuns, i int32) bool {
	at, n := int(c.runAt), len(o.all)
	for at < n && (o.all[at].end <= i || c.w.owners.skips(o.all[at].key)) {
		at++
	}
	if at == n {
		return false
	}
	start := max(o.all[at].start, i)
	for at++; at < n && !c.w.owners.skips(o.all[at].key); at++ {
	}
	c.runAt = int32(at)
	c.aimTo(start, o.all[at-1].end)
	return true
}

func (c *cursor) aimTo(start, end int32) { c.aimAt(int(start), int(end-start)) }

// aimAt makes rows start to start+n of the table the run.
func (c *cursor) aimAt(start, n int) {
	c.start = start
	c.entities = c.w.entities(c.t)[start : start+n]
	for k := range c.r.fields {
		c.aim.fields[k] = c.r.fields[k].at(c.t, start)
	}
	for k := c.aim.n; k < 3; k++ {
		c.aim.fields[k] = aimed{nil, 0, c.aim.spare}
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
	if c.w.storage.version != c.version {
		panicMoved()
	}
}

func panicMoved() {
	panic("ecs: the world changed structure during a walk: collect the entities first and change them after, or do it inside a system, where Spawn, Despawn, Add and Remove wait for the end of the stage")
}
