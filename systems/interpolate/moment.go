package interpolate

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// Moment is the state of an entity at a tick. It is valid until the client receives packets.
type Moment struct {
	Mask   uint64  // bits of its components
	Share  float64 // fraction of the time from this state to the next, if there is one
	drawer *drawer
	source ecs.Entity // of a simulated entity
	record []int32    // of an entity received from the server
	next   []int32
}

// Write copies this state to an entity of the view that has the components of Mask.
func (m Moment) Write(drawn ecs.Entity) {
	if m.record == nil {
		m.drawer.copy(drawn, m.source, m.Mask)
		return
	}
	m.drawer.drawSegment(m.drawer.view, drawn, &segment{mask: m.Mask, rec: m.record})
}

// Next returns a component in the next state of the entity. It returns false if no next state has arrived, and for
// a simulated entity.
func Next[T any](m Moment) (v T, ok bool) {
	comp := ecs.ComponentOf[T](m.drawer.protocol)
	if m.next == nil || comp == nil || comp.Replicated() < 0 || comp.Words == 0 || m.Mask&(1<<comp.Replicated()) == 0 {
		return v, false
	}
	comp.Schema.Dequantize(unsafe.Pointer(&v), m.next[m.drawer.recordAt(m.Mask, comp):], comp.Words, 1)
	return v, true
}
