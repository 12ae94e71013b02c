package capture

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
)

// Moves records how entities entered and left the slots of a group. An entity enters a slot by being spawned, or by
// moving from another slot when its home or its components change. It leaves by being despawned, or by moving to another slot.
type Moves struct {
	// Came is the newest send at which an entity entered, Went the newest send at which an entity moved away. 0: none.
	Came, Went uint32

	born uint64     // slots whose entity was spawned in the slot
	away uint64     // free slots whose last entity moved away
	at   [64]uint32 // by slot: send at which its entity entered, or at which the slot became free
}

// Move is the move of an entity from one slot to another.
type Move struct {
	ID              components.NetID
	Group, Slot     int
	ToGroup, ToSlot int    // equal to Group and Slot if it lost a restricted set and already had a slot without it
	Send            uint32 // of the first state after the move
}

// recordEnter records that an entity enters a slot.
func (m *Moves) recordEnter(slot int, send uint32, moved bool) {
	bit := uint64(1) << slot
	m.Came, m.at[slot], m.away = send, send, m.away&^bit
	if m.born |= bit; moved {
		m.born &^= bit
	}
}

// recordLeave records that an entity leaves a slot.
func (m *Moves) recordLeave(slot int, send uint32, moved bool) {
	bit := uint64(1) << slot
	m.at[slot], m.born = send, m.born&^bit
	if m.away &^= bit; moved {
		m.away, m.Went = m.away|bit, send
	}
}

// Since returns the send at which the entity in a slot entered, or at which the slot became free.
func (m *Moves) Since(slot int) uint32 { return m.at[slot] }

// Born returns the slots, among the given ones, in which an entity was spawned after a send.
func (m *Moves) Born(slots uint64, after uint32) uint64 { return m.changedAfter(slots&m.born, after) }

// Arrived returns the slots, among the given alive ones, to which an entity moved after a send.
func (m *Moves) Arrived(slots uint64, after uint32) uint64 {
	return m.changedAfter(slots&^m.born, after)
}

// Away returns the empty slots, among the given ones, from which an entity moved away after a send.
func (m *Moves) Away(slots uint64, after uint32) uint64 { return m.changedAfter(slots&m.away, after) }

// changedAfter returns the slots, among the given ones, whose last event was after a send.
func (m *Moves) changedAfter(slots uint64, after uint32) (some uint64) {
	for s := slots; s != 0; s &= s - 1 {
		if k := bits.TrailingZeros64(s); m.at[k] > after {
			some |= 1 << k
		}
	}
	return some
}
