package ecs

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
)

// ErrState means that bytes are not the state of a world of this protocol, or not a save that the protocol can load. Request
// another state from a peer with the same build. [Netcode.ReadState] and [Netcode.Load] return it.
var ErrState = errors.New("not a state of a world with this protocol")

// ReadState replaces the contents of the world by a state that [WorldHistory.AppendState] of a peer wrote. Entities have
// the same handles and NetIDs as on the peer, and so do later spawns. Resources stay. Call it between ticks, like
// [WorldHistory.Restore]. A history of this world treats it as a normal change.
//
// The bytes may be untrusted: ReadState checks all of them before it changes the world, and uses memory in proportion to
// their number. It checks values only if invalid ones are dangerous: bools, and counts of lists. The error wraps
// [ErrState].
func (n *Netcode) ReadState(src []byte) error {
	r := newStateReader((*World)(n), "ReadState", src)
	if r.Uint64() != r.w.setup.protocol.layout() {
		r.fail("it has other components")
	}
	r.saved = sameComponents(r.w.setup.protocol)
	return r.load()
}

// load replaces the contents of the world by the state that the bytes of r begin with. It returns an error and changes
// nothing unless all of them are one state.
func (r *stateReader) load() error {
	w, h := r.w, r.h
	tables := r.state(&h.states[0])
	if r.adapt != nil && !r.failed() {
		tables = r.adapt(tables, &h.states[0])
	}
	if r.Len() > 0 {
		r.fail(fmt.Sprintf("%d bytes too many", r.Len()))
	}
	if err := r.err(); err != nil {
		return err
	}
	for _, t := range tables {
		w.tableOf(t.mask)
	}
	h.addTables()
	place := &h.places[0]
	place.valid = true
	for _, from := range tables {
		tc := &place.tables[w.tableOf(from.mask).index]
		w.storage.version++
		tc.n, tc.version, tc.entities, tc.names = len(from.entities), w.storage.version, from.entities, from.names
		for _, x := range from.columns {
			tc.columns[h.at[x.c.index]].words = x.words
		}
	}
	w.handles.changes++
	h.states[0].handles.settled = w.handles.changes
	return h.Restore(0)
}

// stateTable is a decoded table of a state.
type stateTable struct {
	mask     mask
	entities []Entity
	names    []components.NetID
	columns  []stateColumn // of the components that a history keeps
	retired  bool          // entities of singletons that the protocol no longer has
	single   bool          // the entity of a singleton
}

// stateColumn is a decoded column.
type stateColumn struct {
	c     *Component
	words []uint64
}

// value returns a pointer to the component in row i.
func (x *stateColumn) value(i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x.words)), uintptr(i)*x.c.size)
}

// stateReader reads a state without changing the world.
type stateReader struct {
	codec.ByteReader
	w     *World
	h     *WorldHistory
	saved []savedComponent // the components of the state, by index
	room  int              // bytes that columns may still take
	// adapt is adaptSave for a save, and nil for a state. The function is not linked into clients, which read states only.
	adapt func([]*stateTable, *worldState) []*stateTable
	wrong string // the first invalid part of the state
	used  []bool // by handle: the state has already listed it
	named map[components.NetID]bool
}

func newStateReader(w *World, call string, src []byte) *stateReader {
	r := &stateReader{w: w, h: NewWorldHistory(w, 1), room: maxStateColumns}
	r.h.checkBetweenTicks(call)
	r.Reset(src)
	return r
}

// fail stores the first error and stops reading.
func (r *stateReader) fail(what string) {
	if r.wrong == "" && r.Err() == nil {
		r.wrong = what
	}
}

func (r *stateReader) failed() bool { return r.wrong != "" || r.Err() != nil }

// err returns the first error, or nil.
func (r *stateReader) err() error {
	switch {
	case r.wrong != "": // fail keeps no reason after another error
		return fmt.Errorf("ecs: %w: %s", ErrState, r.wrong)
	case r.Err() != nil:
		return fmt.Errorf("ecs: %w: %w", ErrState, r.Err())
	}
	return nil
}

// number reads a uvarint below limit.
func (r *stateReader) number(limit uint64, what string) uint32 {
	n := r.Uvarint()
	if n >= limit {
		r.fail(what)
		return 0
	}
	return uint32(n)
}

// count reads the number of elements that take at least each bytes.
func (r *stateReader) count(each int, what string) int {
	return int(r.number(uint64(r.Len()/each)+1, what))
}

const anyNumber = 1 << 32

// maxStateTables is the largest number of archetypes of a state, because each takes some kilobytes of memory, however few
// bytes describe it.
const maxStateTables = 4096

// maxStateColumns is the maximum size of all columns of a state in bytes. In a save, few bytes can be a component that is
// large now.
const maxStateColumns = 1 << 28

func (r *stateReader) numbers(what string) []uint32 {
	list := make([]uint32, r.count(1, what))
	for i := range list {
		list[i] = r.number(anyNumber, what)
	}
	return list
}

func (r *stateReader) state(s *worldState) []*stateTable {
	s.tick, s.inputs.newest = r.Uint32(), r.Uint32()
	s.handles.nextNet = components.NetID(r.number(anyNumber, "next NetID"))
	if s.handles.nextNet == 0 {
		r.fail("next NetID")
	}
	s.handles.gens = r.numbers("generations")
	if len(s.handles.gens) == 0 {
		r.fail("no handles")
	}
	r.used = make([]bool, len(s.handles.gens))
	s.handles.free = r.numbers("free handles")
	for _, id := range s.handles.free {
		r.claimHandle(id)
	}
	for range r.count(2, "input sequences") {
		owner := r.number(anyNumber, "owner")
		*s.inputs.byOwner.put(owner) = r.number(anyNumber, "input sequence")
	}
	for range r.count(3, "counts of spawns") {
		owner := r.number(anyNumber, "owner")
		*s.inputs.spawned.put(owner) = spawnCount{r.number(anyNumber, "input"), uint16(r.number(1<<16, "count of spawns"))}
	}
	s.skipped = r.numbers("held owners")
	r.named = make(map[components.NetID]bool)
	var tables []*stateTable
	masks := make(map[mask]bool)
	for range min(r.count(3, "tables"), maxStateTables+1) {
		t, of := r.table(s)
		if r.failed() {
			return nil
		}
		if masks[of] {
			r.fail("a table comes twice")
		}
		masks[of] = true
		if tables = append(tables, t); len(tables) > maxStateTables {
			r.fail("too many tables")
		}
	}
	return tables
}

// claimHandle records that the state has a use for a handle. Each handle must occur once.
func (r *stateReader) claimHandle(id uint32) {
	if id == 0 || uint64(id) >= uint64(len(r.used)) || r.used[id] {
		r.fail("a handle")
		return
	}
	r.used[id] = true
}

// table reads a table. of is the set of its components, by index in the state.
func (r *stateReader) table(s *worldState) (t *stateTable, of mask) {
	p := r.w.setup.protocol
	t = &stateTable{}
	for range r.count(1, "components") {
		i := int(r.number(uint64(len(r.saved)), "component"))
		if r.failed() {
			return t, of
		}
		of.set(i)
		if to := r.saved[i].to; to != nil {
			t.mask.set(to.index)
		}
		t.retired = t.retired || r.saved[i].retired
	}
	marks := []*Component{p.core.predicted, p.core.interpolated, p.core.suspended}
	if !t.mask.has(p.core.self.index) || slices.ContainsFunc(marks, func(c *Component) bool { return t.mask.has(c.index) }) {
		r.fail("a table of no such world")
	}
	n := r.count(1, "rows")
	if n == 0 {
		r.fail("a table without rows")
	}
	for range n {
		id := r.number(uint64(len(s.handles.gens)), "handle")
		if r.claimHandle(id); r.failed() {
			return t, of
		}
		t.entities = append(t.entities, Entity{id, s.handles.gens[id]})
	}
	if t.mask.has(p.core.netID.index) {
		for range n {
			id := components.NetID(r.number(uint64(s.handles.nextNet), "NetID"))
			if id == 0 || r.named[id] {
				r.fail("a NetID")
			}
			r.named[id] = true
			t.names = append(t.names, id)
		}
	}
	for i := range r.saved {
		x := &r.saved[i]
		if of.has(i) {
			x.rows += n
		}
		if !of.has(i) || x.to == p.core.self || x.to == p.core.netID { // both were read above
			continue
		}
		if r.column(t, x, n); r.failed() {
			return t, of
		}
	}
	return t, of
}

// column reads the values of a component in n rows.
func (r *stateReader) column(t *stateTable, x *savedComponent, n int) {
	if x.size > 0 && r.Len()/x.size < n {
		r.fail("a column that ends early")
		return
	}
	if x.to == nil || x.to.size == 0 {
		r.Next(n * x.size)
		return
	}
	column := r.newColumn(x.to, n)
	if r.failed() {
		return
	}
	for i := range n {
		if wrong := x.read(&r.ByteReader, column.value(i)); wrong != "" {
			r.fail(wrong)
			return
		}
	}
	t.columns = append(t.columns, column)
}

// newColumn returns a column of n zero values.
func (r *stateReader) newColumn(c *Component, n int) stateColumn {
	size := uint64(n) * uint64(c.size)
	if size > uint64(r.room) {
		r.fail("more values than fit into memory")
		return stateColumn{}
	}
	r.room -= int(size)
	return stateColumn{c, make([]uint64, (size+7)/8)}
}
