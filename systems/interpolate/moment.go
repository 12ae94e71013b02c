package interpolate

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// Moment is what an entity is at a tick. It is good until the client receives.
type Moment struct {
	Mask   uint64  // its components
	Share  float64 // of the way from this state to the next, where there is one
	drawer *drawer
	source ecs.Entity // where it is simulated
	record []int32    // where the server told of it
	next   []int32
}

// Write gives an entity of the view, which has the components of the mask, the values of this state.
func (m Moment) Write(drawn ecs.Entity) {
	if m.record == nil {
		m.drawer.copy(drawn, m.source, m.Mask)
		return
	}
	m.drawer.drawSegment(m.drawer.view, drawn, &segment{mask: m.Mask, rec: m.record})
}

// Next is a component in the state that the entity is on its way to. It is false where that has
// not come, and where it is simulated.
func Next[T any](m Moment) (v T, ok bool) {
	comp := ecs.ComponentOf[T](m.drawer.protocol)
	if m.next == nil || comp == nil || comp.Replicated() < 0 || comp.Words == 0 || m.Mask&(1<<comp.Replicated()) == 0 {
		return v, false
	}
	comp.Schema.Dequantize(unsafe.Pointer(&v), m.next[m.drawer.recordAt(m.Mask, comp):], comp.Words, 1)
	return v, true
}
