package mirror

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// State is a group of slots at one send, as far as packets told of it.
type State struct {
	delta.Group
	Tick uint32
	Born uint64 // slots whose entity was spawned where this client saw it
	Away uint64 // empty slots whose last entity moved elsewhere
	// Secrets says of own state that it leaves out what is predicted.
	Secrets bool
}

// History is all that a client keeps of one group: the states that sends told of,
// which serve as baselines for later ones and as the poses that drawing goes
// through.
type History struct {
	Ring   []*State     // by send; a power of two long
	First  *State       // of the send with which this client joins
	Open   *State       // what the packet at hand says
	Told   [64]uint32   // by slot: newest send that told of it
	Here   [64]*Replica // by slot: the entity that stands there; in own state, whose private components it told last
	Hidden uint64       // slots that are out of sight, by the newest send that told of them
	Fresh  uint64       // slots with news that are not in the world yet
}

// Store is the states that sends told of, by group.
type Store struct {
	World  []*History
	Own    []*History // of own state
	Memory Memory
}

// add keeps a state, all of the send that is being collected; it reports false when it is too old to
// be of use.
func (s *Store) add(x *History, st *State, floor, collected uint32) bool {
	if known := x.At(st.Send); known != nil {
		s.Memory.merge(known, st)
		s.Memory.Release(st)
		return true
	}
	if collected != 0 && st.Send == collected {
		x.First = st
		return true
	}
	if !x.put(&s.Memory, st, floor) {
		s.Memory.Release(st)
		return false
	}
	return true
}

// take keeps a state as add does, and notes which slots it has news of.
func (s *Store) take(x *History, st *State, floor, collected uint32) {
	known, hidden, send := st.Known, st.Hidden, st.Send
	if !s.add(x, st, floor, collected) {
		return
	}
	for m := known; m != 0; m &= m - 1 {
		if k := trailing(m); send > x.Told[k] {
			x.Told[k] = send
			x.Hidden = x.Hidden&^(1<<k) | hidden&(1<<k)
			x.Fresh |= 1 << k
		}
	}
}

// close ends what the datagram at hand says of a group.
func (s *Store) close(x *History) *State {
	st := x.Open
	x.Open = nil
	s.Memory.keep(st)
	return st
}

// drop forgets it.
func (s *Store) drop(x *History) { s.Memory.Release(s.close(x)) }

// unpin puts the states of a join among all others.
func (s *Store) unpin(floor uint32) {
	for _, x := range s.World {
		if st := x.First; st != nil {
			x.First = nil
			if !x.put(&s.Memory, st, floor) {
				s.Memory.Release(st)
			}
		}
	}
}

// whole reports whether a send has told of all slots of so many groups.
func (s *Store) whole(send uint32, groups int) bool {
	return groups <= len(s.World) && allTold(s.World[:groups], send)
}

// allTold reports whether a send has told of all slots of groups.
func allTold(groups []*History, send uint32) bool {
	for _, x := range groups {
		if st := x.At(send); st == nil || st.Known != wire.AllSlots {
			return false
		}
	}
	return true
}

// oldestTold is the newest send such that all slots have been told of by it or later,
// those aside of which the newest was that they are out of sight, or nothing for long:
// an entity may stand there that this client never saw.
func (s *Store) oldestTold(newest uint32) uint32 {
	oldest := newest
	for _, x := range s.World {
		for k, t := range x.Told {
			if x.Hidden>>k&1 == 0 && t+MissSends >= newest {
				oldest = min(oldest, t)
			}
		}
	}
	return oldest
}

// grow makes sure that there are so many groups.
func grow(groups *[]*History, n int) {
	for len(*groups) < n {
		*groups = append(*groups, &History{})
	}
}

func trailing(set uint64) int { return bits.TrailingZeros64(set) }

// minStates and MaxStates bound the ring of a group. It grows when a state that may
// still be a baseline would be lost.
const (
	minStates = 16
	MaxStates = 256
)

// MaxMemory bounds what a server can make a client keep, in bytes of states. Above
// half of it rings grow no more, and baselines that are lost by that are renewed; a
// server that needs more than all of it breaks the protocol.
const MaxMemory = 256 << 20

// StateSize is what a state takes beside its words, in bytes.
const StateSize = int(unsafe.Sizeof(State{}))

// Memory is the states of a client.
type Memory struct {
	Used int // bytes, those in free included
	Free []*State
}

// Take returns a state of which nothing is known.
func (m *Memory) Take(send, tick uint32) *State {
	var st *State
	if n := len(m.Free); n > 0 {
		st, m.Free = m.Free[n-1], m.Free[:n-1]
		m.Used -= 4 * cap(st.Words)
	} else {
		st = new(State)
		m.Used += StateSize
	}
	st.Reset(send)
	st.Tick, st.Born, st.Away, st.Secrets = tick, 0, 0, false
	return st
}

// keep counts what a state that was filled needs.
func (m *Memory) keep(st *State) { m.Used += 4 * cap(st.Words) }

// Release gives back a kept state.
func (m *Memory) Release(st *State) {
	if st != nil {
		m.Free = append(m.Free, st)
	}
}

// At returns what a send said, or nil.
func (h *History) At(send uint32) *State {
	if send == 0 {
		return nil
	}
	if h.First != nil && h.First.Send == send {
		return h.First
	}
	if len(h.Ring) > 0 {
		if st := h.Ring[send&uint32(len(h.Ring)-1)]; st != nil && st.Send == send {
			return st
		}
	}
	return nil
}

// put takes over a state of which nothing was known so far; floor is the oldest
// send still needed. It reports false when later news stands in its place.
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
	*at = st
	return true
}

// pin keeps what a send said, if anything, from making room for later news.
func (h *History) pin(send uint32) {
	if st := h.At(send); st != nil && st != h.First {
		h.Ring[send&uint32(len(h.Ring)-1)] = nil
		h.First = st
	}
}

// merge adds to a state what another one of the same send knows more.
func (m *Memory) merge(st, more *State) {
	m.Used -= 4 * cap(st.Words)
	st.Born, st.Away = st.Born|more.Born&^st.Known, st.Away|more.Away&^st.Known
	for slots := more.Known &^ st.Known; slots != 0; slots &= slots - 1 {
		k := trailing(slots)
		if bit := uint64(1) << k; more.Alive&bit == 0 {
			st.Clear(k, more.Hidden&bit != 0)
			continue
		}
		rec := more.Record(k)
		copy(st.Put(k, more.IDs[k], more.Masks[k], len(rec)), rec)
	}
	m.keep(st)
}

// Says reports whether a state tells of an entity in a slot.
func (st *State) Says(id uint32, slot int32) bool {
	return st.Alive>>slot&1 != 0 && st.IDs[slot] == id
}

// says reports whether the newest state that tells of a slot is kept, and has an entity there.
func (h *History) says(id uint32, slot int) bool {
	st := h.At(h.Told[slot])
	return st != nil && st.Says(id, int32(slot))
}

// ways notes how the entities that a block told of came to their slots, and how those went that stood there in its
// baseline, nil for none. joins says that it is of a state to join with.
func (st *State) ways(h *wire.BlockHead, base *State, joins bool) {
	kept, born, was, away := uint64(0), ^h.Ways.Came, uint64(0), h.Ways.Away
	switch {
	case base != nil:
		for s := h.Slots & st.Alive & base.Alive; s != 0; s &= s - 1 {
			if k := trailing(s); st.IDs[k] == base.IDs[k] {
				kept |= s & -s
			}
		}
		was, away = base.Born, away|base.Away
	case joins:
		born = 0
	case h.Ways.Told:
		born = h.Ways.Came
	}
	st.Born |= h.Slots & st.Alive & (kept&was | born&^kept)
	st.Away |= h.Slots & away &^ st.Alive
}

// Around returns the newest state of an entity in a slot at or before a tick and the
// oldest after it; either may be nil. gone says that a state between the first and
// the tick tells that it was not there.
func (h *History) Around(id uint32, slot int32, tick float64) (from, to *State, gone bool) {
	var without uint32
	for i := range len(h.Ring) + 1 {
		st := h.First
		if i > 0 {
			st = h.Ring[i-1]
		}
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
		case to == nil || st.Tick < to.Tick:
			to = st
		}
	}
	return from, to, from != nil && without > from.Tick
}
