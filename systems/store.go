package systems

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
)

// state is a group of slots at one send, as far as packets told of it.
type state struct {
	delta.Group
	tick uint32
}

// history is all that a client keeps of one group: the states that sends told of,
// which serve as baselines for later ones and as the poses that drawing goes
// through.
type history struct {
	ring   []*state     // by send; a power of two long
	first  *state       // of the send with which this client joins
	open   *state       // what the packet at hand says
	told   [64]uint32   // by slot: newest send that told of it
	here   [64]*replica // by slot: the entity that stands there
	hidden uint64       // slots that are out of sight, by the newest send that told of them
	fresh  uint64       // slots with news that are not in the world yet
}

// minStates and maxStates bound the ring of a group. It grows when a state that may
// still be a baseline would be lost.
const (
	minStates = 16
	maxStates = 256
)

// maxMemory bounds what a server can make a client keep, in bytes of states. Above
// half of it rings grow no more, and baselines that are lost by that are renewed; a
// server that needs more than all of it breaks the protocol.
const maxMemory = 256 << 20

const stateSize = int(unsafe.Sizeof(state{}))

// memory is the states of a client.
type memory struct {
	used int // bytes, those in free included
	free []*state
}

// take returns a state of which nothing is known.
func (m *memory) take(send, tick uint32) *state {
	var st *state
	if n := len(m.free); n > 0 {
		st, m.free = m.free[n-1], m.free[:n-1]
		m.used -= 4 * cap(st.Words)
	} else {
		st = new(state)
		m.used += stateSize
	}
	st.Reset(send)
	st.tick = tick
	return st
}

// keep counts what a state that was filled needs.
func (m *memory) keep(st *state) { m.used += 4 * cap(st.Words) }

// release gives back a kept state.
func (m *memory) release(st *state) {
	if st != nil {
		m.free = append(m.free, st)
	}
}

// at returns what a send said, or nil.
func (h *history) at(send uint32) *state {
	if send == 0 {
		return nil
	}
	if h.first != nil && h.first.Send == send {
		return h.first
	}
	if len(h.ring) > 0 {
		if st := h.ring[send&uint32(len(h.ring)-1)]; st != nil && st.Send == send {
			return st
		}
	}
	return nil
}

// put takes over a state of which nothing was known so far; floor is the oldest
// send still needed. It reports false when later news stands in its place.
func (h *history) put(m *memory, st *state, floor uint32) bool {
	if len(h.ring) == 0 {
		h.ring = make([]*state, minStates)
	}
	at := &h.ring[st.Send&uint32(len(h.ring)-1)]
	for *at != nil && (*at).Send >= floor && len(h.ring) < maxStates && m.used < maxMemory/2 {
		grown := make([]*state, 2*len(h.ring))
		for _, old := range h.ring {
			if old != nil {
				grown[old.Send&uint32(len(grown)-1)] = old
			}
		}
		h.ring = grown
		at = &h.ring[st.Send&uint32(len(h.ring)-1)]
	}
	if *at != nil && (*at).Send > st.Send {
		return false
	}
	m.release(*at)
	*at = st
	return true
}

// pin keeps what a send said, if anything, from making room for later news.
func (h *history) pin(send uint32) {
	if st := h.at(send); st != nil && st != h.first {
		h.ring[send&uint32(len(h.ring)-1)] = nil
		h.first = st
	}
}

// merge adds to a state what another one of the same send knows more.
func (m *memory) merge(st, more *state) {
	m.used -= 4 * cap(st.Words)
	for slots := more.Known &^ st.Known; slots != 0; slots &= slots - 1 {
		k := bits.TrailingZeros64(slots)
		if bit := uint64(1) << k; more.Alive&bit == 0 {
			st.Clear(k, more.Hidden&bit != 0)
			continue
		}
		rec := more.Record(k)
		copy(st.Put(k, more.IDs[k], more.Masks[k], len(rec)), rec)
	}
	m.keep(st)
}

// says reports whether a state tells of an entity in a slot.
func (st *state) says(id uint32, slot int32) bool {
	return st.Alive>>slot&1 != 0 && st.IDs[slot] == id
}

// around returns the newest state of an entity in a slot at or before a tick and the
// oldest after it; either may be nil. gone says that a state between the first and
// the tick tells that it was not there.
func (h *history) around(id uint32, slot int32, tick float64) (from, to *state, gone bool) {
	var without uint32
	for i := range len(h.ring) + 1 {
		st := h.first
		if i > 0 {
			st = h.ring[i-1]
		}
		switch {
		case st == nil || st.Known>>slot&1 == 0:
		case !st.says(id, slot):
			if float64(st.tick) <= tick {
				without = max(without, st.tick)
			}
		case float64(st.tick) <= tick:
			if from == nil || st.tick > from.tick {
				from = st
			}
		case to == nil || st.tick < to.tick:
			to = st
		}
	}
	return from, to, from != nil && without > from.tick
}
