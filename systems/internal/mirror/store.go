package mirror

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
)

// State is a group of slots at one send, as far as packets have arrived.
type State struct {
	delta.Group
	Tick  uint32
	Born  uint64 // slots whose entity was spawned while visible to this client
	Quiet uint64 // slots of late entities that a later send may have removed: they are baselines, but are not placed
	// Secrets, in owner state, reports that predicted components are left out.
	Secrets bool
}

// History holds the states of one group. Later states use them as baselines, and drawing interpolates between them.
type History struct {
	Ring    []*State     // by send; the length is a power of two
	newest  uint32       // the newest send in Ring
	Open    *State       // state that the current packet adds to
	Updated [64]uint32   // by slot: newest send that contained the slot
	Here    [64]*Replica // by slot: the entity in the slot; in owner state, the entity whose private components the slot contained last
	Empty   uint64       // slots without an entity, according to the newest sends
	Hidden  uint64       // those of them whose entity is out of sight
	Fresh   uint64       // slots with new states that are not yet placed
}

// Store holds the states by group.
type Store struct {
	World  Region
	Own    Region // owner state
	Memory Memory
}

// Region is a set of entities in the slots of groups.
type Region struct {
	Groups []*History
	sets   sets
	most   int32 // groups
}

// add stores a state, unless it is too old.
func (s *Store) add(x *History, st *State, floor uint32) bool {
	if known := x.At(st.Send); known != nil {
		s.Memory.merge(known, st)
		s.Memory.Release(st)
		return true
	}
	if !x.put(&s.Memory, st, floor) {
		s.Memory.Release(st)
		return false
	}
	return true
}

// insert stores a state as add does, and marks its new slots as fresh.
func (s *Store) insert(x *History, st *State, floor uint32) {
	known, empty, hidden, send := st.Known&^st.Quiet, ^st.Alive, st.Hidden, st.Send
	if !s.add(x, st, floor) {
		return
	}
	for m := known; m != 0; m &= m - 1 {
		if k := trailing(m); send > x.Updated[k] {
			x.Updated[k] = send
			x.Empty = x.Empty&^(1<<k) | empty&(1<<k)
			x.Hidden = x.Hidden&^(1<<k) | hidden&(1<<k)
			x.Fresh |= 1 << k
		}
	}
}

// closeState finishes the open state of a group and returns it.
func (s *Store) closeState(x *History) *State {
	st := x.Open
	x.Open = nil
	s.Memory.account(st)
	return st
}

// completeSend returns the newest send whose state is stored completely: all entities in sight have a state of that send or a
// later one. It ignores slots without updates for more than patience sends since the client has joined, and does not know of entities
// that were never sent.
func (s *Store) completeSend(newest, joined, patience uint32) uint32 {
	complete := newest
	for _, x := range s.World.Groups {
		unused := x.Hidden | x.Empty
		for k, t := range x.Updated {
			if t != 0 && unused>>k&1 == 0 && max(t, joined)+patience >= newest {
				complete = min(complete, t)
			}
		}
	}
	return complete
}

// grow extends a region to at least n groups.
func (r *Region) grow(n int) {
	for len(r.Groups) < n {
		r.Groups = append(r.Groups, &History{})
	}
}

func trailing(set uint64) int { return bits.TrailingZeros64(set) }

// minStates and MaxStates limit the length of a group's ring. The ring grows when it would lose a state that may
// still be a baseline.
const (
	minStates = 16
	MaxStates = 1024
)

// MaxMemory is the maximum size of a client's states, in bytes. Above half of it rings no longer grow, and the
// client requests full states instead of lost baselines. A server that needs more violates the protocol.
const MaxMemory = 256 << 20

// StateSize is the size of a state without its words, in bytes.
const StateSize = int(unsafe.Sizeof(State{}))

// Memory manages the memory of a client's states.
type Memory struct {
	Used int // bytes, including the free states
	Free []*State
}

// Get returns an empty state.
func (m *Memory) Get(send, tick uint32) *State {
	var st *State
	if n := len(m.Free); n > 0 {
		st, m.Free = m.Free[n-1], m.Free[:n-1]
		m.Used -= 4 * cap(st.Words)
	} else {
		st = new(State)
		m.Used += StateSize
	}
	st.Reset(send)
	st.Tick, st.Born, st.Quiet, st.Secrets = tick, 0, 0, false
	return st
}

// account adds the size of a completed state.
func (m *Memory) account(st *State) { m.Used += 4 * cap(st.Words) }

// Release frees a state.
func (m *Memory) Release(st *State) {
	if st != nil {
		m.Free = append(m.Free, st)
	}
}

// At returns the state of a send, or nil.
func (h *History) At(send uint32) *State {
	if send == 0 {
		return nil
	}
	if len(h.Ring) > 0 {
		if st := h.Ring[send&uint32(len(h.Ring)-1)]; st != nil && st.Send == send {
			return st
		}
	}
	return nil
}

// put stores a state of a new send. floor is the oldest send that is still needed. It returns false if the place
// holds a newer state.
func (h *History) put(m *Memory, st *State, floor uint32) bool {
	if len(h.Ring) == 0 {
		h.Ring = make([]*State, minStates)
	}
	at := &h.Ring[st.Send&uint32(len(h.Ring)-1)]
	for *at != nil && (*at).Send >= floor && len(h.Ring) < MaxStates && m.Used < MaxMemory/2 {
		grown := make([]*State, 2*len(h.Ring))
		for _, old := range h.Ring {
			if old != nil {
				grown[old.Send&uint32(len(grown)-1)] = old
			}
		}
		h.Ring = grown
		at = &h.Ring[st.Send&uint32(len(h.Ring)-1)]
	}
	if *at != nil && (*at).Send > st.Send {
		return false
	}
	m.Release(*at)
	*at, h.newest = st, max(h.newest, st.Send)
	return true
}

// merge adds the slots of more, of the same send, that st lacks.
func (m *Memory) merge(st, more *State) {
	m.Used -= 4 * cap(st.Words)
	st.Born |= more.Born &^ st.Known
	for slots := more.Known &^ st.Known; slots != 0; slots &= slots - 1 {
		k := trailing(slots)
		if bit := uint64(1) << k; more.Alive&bit == 0 {
			st.Clear(k, more.Hidden&bit != 0)
			continue
		}
		rec := more.Record(k)
		copy(st.Put(k, more.IDs[k], more.Masks[k], len(rec)), rec)
	}
	m.account(st)
}

// Says reports whether a state has an entity in a slot.
func (st *State) Says(id uint32, slot int32) bool {
	return st.Alive>>slot&1 != 0 && st.IDs[slot] == id
}

// says reports whether the newest state of a slot is stored and has an entity there.
func (h *History) says(id uint32, slot int) bool {
	st := h.At(h.Updated[slot])
	return st != nil && st.Says(id, int32(slot))
}

// Around returns the newest state of an entity in a slot at or before a tick, and the oldest one after it. Either
// may be nil. gone reports that the entity was absent in between: a state after the first and before the tick does
// not contain it.
func (h *History) Around(id uint32, slot int32, tick float64) (from, to *State, gone bool) {
	var without uint32
	// From the newest place back, the states of the last len(h.Ring) sends have falling ticks. Places that these sends left as they
	// were hold older states.
	for send, n := h.newest, uint32(len(h.Ring)); n > 0; send, n = send-1, n-1 {
		st := h.Ring[send&uint32(len(h.Ring)-1)]
		switch {
		case st == nil || st.Known>>slot&1 == 0:
		case !st.Says(id, slot):
			if float64(st.Tick) <= tick {
				without = max(without, st.Tick)
			}
		case float64(st.Tick) <= tick:
			if from == nil || st.Tick > from.Tick {
				from = st
			}
			if st.Send == send {
				return from, to, without > from.Tick
			}
		case to == nil || st.Tick < to.Tick:
			to = st
		}
	}
	return from, to, from != nil && without > from.Tick
}
