package ecs

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
)

// ErrState means that bytes are not the state of a world of this protocol. Request another state from a peer with the same
// build. [Netcode.ReadState] returns it.
var ErrState = errors.New("not a state of a world with this protocol")

// ReadState replaces the contents of the world by a state that [WorldHistory.AppendState] of a peer wrote. Entities have
// the same handles and NetIDs as on the peer, and so do later spawns. Resources stay. Call it between ticks, like
// [WorldHistory.Restore]. A history of this world treats it as a normal change.
//
// The bytes may be untrusted: ReadState checks all of them before it changes the world, and uses memory in proportion to
// their number. It checks values only if invalid ones are dangerous: bools, and counts of lists. The error wraps
// [ErrState].
func (n *Netcode) ReadState(src []byte) error {
	w := (*World)(n)
	h := NewWorldHistory(w, 1)
	h.checkBetweenTicks("ReadState")
	r := stateReader{w: w}
	r.Reset(src)
	tables := r.state(&h.states[0])
	switch {
	case r.Err() != nil:
		return fmt.Errorf("ecs: %w: %w", ErrState, r.Err())
	case r.wrong != "":
		return fmt.Errorf("ecs: %w: %s", ErrState, r.wrong)
	case r.Len() > 0:
		return fmt.Errorf("ecs: %w: %d bytes too many", ErrState, r.Len())
	}
	for i := range tables {
		w.tableOf(tables[i].mask)
	}
	h.addTables()
	place := &h.places[0]
	place.valid = true
	for i := range tables {
		from := &tables[i]
		tc := &place.tables[w.tableOf(from.mask).index]
		w.storage.version++
		tc.n, tc.version, tc.entities, tc.names = len(from.entities), w.storage.version, from.entities, from.names
		columns := from.columns
		for k, c := range h.comps {
			if from.mask.has(c.index) {
				tc.columns[k].words, columns = columns[0], columns[1:]
			}
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
	columns  [][]uint64 // of the components that a history keeps, in their order
}

// stateReader reads a state without changing the world.
type stateReader struct {
	codec.ByteReader
	w     *World
	wrong string // the first invalid part of the state
	used  []bool // by handle: the state has already listed it
	named map[components.NetID]bool
}

// fail stores the first error and stops reading.
func (r *stateReader) fail(what string) {
	if r.wrong == "" && r.Err() == nil {
		r.wrong = what
	}
}

func (r *stateReader) failed() bool { return r.wrong != "" || r.Err() != nil }

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

func (r *stateReader) numbers(what string) []uint32 {
	list := make([]uint32, r.count(1, what))
	for i := range list {
		list[i] = r.number(anyNumber, what)
	}
	return list
}

func (r *stateReader) state(s *worldState) []stateTable {
	if r.Uint64() != r.w.setup.protocol.layout() {
		r.fail("it has other components")
	}
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
	var tables []stateTable
	for range min(r.count(3, "tables"), maxStateTables+1) {
		t := r.table(s)
		if r.failed() {
			return nil
		}
		if slices.ContainsFunc(tables, func(o stateTable) bool { return o.mask == t.mask }) {
			r.fail("a table comes twice")
		}
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

func (r *stateReader) table(s *worldState) stateTable {
	p := r.w.setup.protocol
	t := stateTable{}
	for range r.count(1, "components") {
		t.mask.set(int(r.number(uint64(len(p.all)), "component")))
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
			return t
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
	for _, c := range p.all {
		if !t.mask.has(c.index) || c.size == 0 || c == p.core.self || c == p.core.netID {
			continue
		}
		if r.failed() || r.Len()/max(1, c.values.size()) < n {
			r.fail("a column that ends early")
			return t
		}
		words := make([]uint64, (uintptr(n)*c.size+7)/8)
		t.columns = append(t.columns, words)
		for i := range n {
			if wrong := c.values.read(&r.ByteReader, unsafe.Add(unsafe.Pointer(unsafe.SliceData(words)), uintptr(i)*c.size)); wrong != "" {
				r.fail(wrong)
			}
		}
	}
	return t
}
