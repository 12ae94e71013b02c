package interpolate

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Pair writes what a component was in the two states that the newest frame drew an entity of the
// view between, in the first twice where nothing later was there. It reports whether there is that.
func (s *System) Pair(e ecs.Entity, comp *ecs.Component, from, to unsafe.Pointer) bool {
	d, drawn := s.Drawing(e)
	if !drawn || d.From == 0 || s.states == nil || comp == nil || comp.Replicated() < 0 || comp.Words == 0 {
		return false
	}
	if d.To == 0 {
		d.To = d.From
	}
	r := s.states.mirror.Entities.Of(uint32(s.view.NetID(e)))
	return s.states.readAt(from, r, d.From, comp) && s.states.readAt(to, r, d.To, comp)
}

// readAt reads what the state of a tick had of an entity's component. It reports whether
// that had it.
func (s *states) readAt(into unsafe.Pointer, r *mirror.Replica, tick uint32, comp *ecs.Component) bool {
	k := r.At.Slot
	st := s.stateAt(r.At.Group, r.ID, k, tick)
	if r.Moved && st == nil {
		k = r.Before.Slot
		st = s.stateAt(r.Before.Group, r.ID, k, tick)
	}
	if st == nil || st.Masks[k]&(1<<comp.Replicated()) == 0 {
		return false
	}
	comp.Schema.Dequantize(into, st.Record(int(k))[s.recordAt(st.Masks[k], comp):], comp.Words, 1)
	return true
}

// stateAt is the state of a tick that tells of an entity in a slot, or nil.
func (s *states) stateAt(group int32, id uint32, slot int32, tick uint32) *mirror.State {
	h := s.mirror.Store.World[group]
	st := h.At(tick / s.every)
	if st == nil || st.Tick != tick || !st.Says(id, slot) { // the server was late with it
		st, _, _ = h.Around(id, slot, float64(tick))
	}
	if st == nil || st.Tick != tick {
		return nil
	}
	return st
}
