package capture

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
)

// Moves says of the slots of a group how the entities that stand there came, and how those went that stood there
// before. Entities come to a slot as they are spawned, or move there from another one, when they change their home or
// their components, and leave it likewise.
type Moves struct {
	// Came and Went are the newest sends at which an entity came, and at which one moved away; 0: none.
	Came, Went uint32

	born uint64     // slots whose entity was spawned there
	away uint64     // free slots whose last entity moved away
	at   [64]uint32 // by slot: send at which that happened, or at which it became free
}

// Move is of an entity from a slot to another one.
type Move struct {
	ID              components.NetID
	Group, Slot     int
	ToGroup, ToSlot int    // the same where it lost a veil, and was in other slots without already
	Send            uint32 // of the first state in which it has moved
}

// come notes that an entity comes to a slot.
func (m *Moves) come(slot int, send uint32, moved bool) {
	bit := uint64(1) << slot
	m.Came, m.at[slot], m.away = send, send, m.away&^bit
	if m.born |= bit; moved {
		m.born &^= bit
	}
}

// left notes that one leaves.
func (m *Moves) left(slot int, send uint32, moved bool) {
	bit := uint64(1) << slot
	m.at[slot], m.born = send, m.born&^bit
	if m.away &^= bit; moved {
		m.away, m.Went = m.away|bit, send
	}
}

// Since returns the send at which the entity in a slot came there, or at which the slot became free.
func (m *Moves) Since(slot int) uint32 { return m.at[slot] }

// Born returns those of slots to which an entity was spawned after a send.
func (m *Moves) Born(slots uint64, after uint32) uint64 { return m.since(slots&m.born, after) }

// Arrived returns those of slots, which are alive, to which an entity moved after a send.
func (m *Moves) Arrived(slots uint64, after uint32) uint64 { return m.since(slots&^m.born, after) }

// Away returns those of slots from which an entity moved away after a send, and none followed.
func (m *Moves) Away(slots uint64, after uint32) uint64 { return m.since(slots&m.away, after) }

// since is slots of which what is noted happened after a send.
func (m *Moves) since(slots uint64, after uint32) (some uint64) {
	for s := slots; s != 0; s &= s - 1 {
		if k := bits.TrailingZeros64(s); m.at[k] > after {
			some |= 1 << k
		}
	}
	return some
}
