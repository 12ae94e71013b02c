package ecs

import (
	"unsafe"
)

// maxRowFields is the largest number of component fields of a row struct, so that a walk needs only stack memory.
const maxRowFields = 16

// cursor is the state of a walk. It lives on the stack of the caller: walks can be nested, stop early, or end by a panic,
// and leave nothing behind.
//
// A walk proceeds in runs of adjacent rows of one table. If no owner is skipped, a run is a whole table.
type cursor struct {
	w        *World
	r        *row
	version  uint64 // version of the storage at the start of the walk
	scope    walkScope
	next     int      // index of the next table of r
	runAt    int32    // position in the index of owners, see nextRows
	serial   uint32   // serial number of that index
	t        *table   // table of the run
	start    int      // first row of the run
	entities []Entity // entities of the run
	aim      rowAim
}

// walkScope selects the entities of a walk.
type walkScope struct {
	simulated bool   // only simulated entities
	narrowed  bool   // without skipped owners, or only one owner
	one       bool   // only one owner
	owner     uint32 // this owner
}

// rowAim is the row struct of a walk with its fields aimed at the columns of a run.
type rowAim struct {
	n      int     // number of fields in use
	more   bool    // more than two pointers to set
	most   bool    // more than three pointers to set
	spare  uintptr // offset for unused pointers
	fields [maxRowFields]aimed
}

// aimed is a field of the row struct, aimed at the column of a run.
type aimed struct {
	base   unsafe.Pointer // first component of the run; nil if absent
	size   uintptr        // 0 if all rows share the base
	offset uintptr        // offset in the row struct
}

// reset starts a walk over the rows r. With scoped, the walk yields only entities that this peer simulates.
func (c *cursor) reset(w *World, r *row, scoped bool) {
	c.w, c.r, c.version, c.scope.simulated = w, r, w.storage.version, scoped
	c.aim.n, c.aim.more = len(r.fields), len(r.fields) > 2 || r.named
	c.aim.most = len(r.fields) > 3 || r.named
	if scoped && (w.owners.only != 0 || len(w.owners.skipped) > 0) {
		c.scope.narrowed, c.scope.one, c.scope.owner = true, w.owners.only != 0, w.owners.only
	}
}

// narrow restricts the scope to the entities of one owner.
func (c *cursor) narrow(owner uint32) {
	if c.scope.one && c.scope.owner != owner || c.scope.narrowed && !c.scope.one && c.w.owners.skips(owner) {
		c.next = len(c.r.tables)
	}
	c.scope.narrowed, c.scope.one, c.scope.owner = true, true, owner
}

// nextRun advances to the next run. It returns false at the end of the walk.
func (c *cursor) nextRun() bool {
	if c.scope.narrowed && c.t != nil && c.nextRows(c.start+len(c.entities)) {
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
			if c.nextRows(0) {
				return true
			}
			continue
		}
		c.aimAt(0, t.n)
		return true
	}
	return false
}

// nextRows finds the next rows of the table, from row i on, whose owner is in scope. Owners are read when the walk reaches
// the table. Rows that change their owner later are visited at most once.
func (c *cursor) nextRows(i int) bool {
	t, w := c.t, c.w
	if t.cols[w.setup.protocol.core.owner.index] == nil { // the server owns all
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
	} else if c.serial != o.serial { // rebuilt by a nested walk
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

// nextOwned sets the run to the next run of the owner that ends after row i.
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

// nextUnskipped sets the run to the next rows from i on whose owner is not skipped.
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

// aimAt sets the run to n rows of the table from start on.
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

// at aims a field at row i of t.
func (f *rowField) at(t *table, i int) aimed {
	switch {
	case !t.mask.has(f.index): // optional and absent
		return aimed{nil, 0, f.offset}
	case f.size == 0:
		return aimed{unsafe.Pointer(&nothing), 0, f.offset}
	}
	return aimed{unsafe.Add(t.cols[f.index], uintptr(i)*f.size), f.size, f.offset}
}

// check panics if the structure of the world changed since the start of the walk, because the rows of the run may have
// moved.
func (c *cursor) check() {
	if c.w.storage.version != c.version {
		panicMoved()
	}
}

func panicMoved() {
	panic("ecs: the world changed structure during a walk: collect the entities first and change them after, or do it inside a system, where Spawn, Despawn, Add and Remove wait for the end of the stage")
}
