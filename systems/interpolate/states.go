package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// states draws from states of the server: between two states, or damped.
type states struct {
	*System
	mirror      *mirror.Mirror
	figures     mirror.Records[figure]
	step        float64 // seconds per tick
	was         float64 // the head of the last frame
	oldest      uint32  // tick of the oldest state from which an entity is interpolated
	coSimulated func() bool
	damping     law       // nil: drawn between two states
	newest      uint32    // tick of the newest snapshot, if damped
	heard       time.Time // when that snapshot was first drawn
}

// simulates reports whether this client simulates an entity of its world.
func (s *states) simulates(e ecs.Entity) bool { return ecs.Has[components.Predicted](s.world, e) }

func (s *states) find(id uint32) (f *figure, simulated bool) {
	r := s.mirror.Entities.Of(id)
	if r == nil {
		return nil, false
	}
	return s.figures.Of(r), !r.Entity.IsZero() && s.simulates(r.Entity)
}

// bracketingStates are the states of an entity around a tick.
type bracketingStates struct {
	from, to *mirror.State // either may be nil
	gone     bool          // the entity was absent between from and the tick
}

// around returns the newest state of an entity at or before a tick, and the oldest after it.
func (s *states) around(r *mirror.Replica, tick float64) (p bracketingStates) {
	p.from, p.to, p.gone = s.mirror.Store.World.Groups[r.At.Group].Around(r.ID, r.At.Slot, tick)
	return p
}

// readAt reads a component of an entity from the state of a tick. It reports whether the state has the component.
func (s *states) readAt(into unsafe.Pointer, r *mirror.Replica, tick uint32, comp *ecs.Component) bool {
	k := r.At.Slot
	st := s.stateAt(r.At.Group, r.ID, k, tick)
	if st == nil || st.Masks[k]&(1<<comp.Replicated()) == 0 {
		return false
	}
	comp.Schema.Dequantize(into, st.Record(int(k))[s.recordAt(st.Masks[k], comp):], comp.Words, 1)
	return true
}

// stateAt returns the state of a tick that contains an entity in a slot, or nil.
func (s *states) stateAt(group int32, id uint32, slot int32, tick uint32) *mirror.State {
	h := s.mirror.Store.World.Groups[group]
	st := h.At(tick / s.numbers)
	if st == nil || st.Tick != tick || !st.Says(id, slot) { // the send was late and its tick differs
		st, _, _ = h.Around(id, slot, float64(tick))
	}
	if st == nil || st.Tick != tick {
		return nil
	}
	return st
}

// figure holds the drawing state of an entity.
type figure struct {
	entity       ecs.Entity    // in the view; zero: not there
	between      [2]uint32     // ticks of the states that it was last drawn between; 0: none
	ahead        uint32        // send of the state from which the last frame extrapolated; 0: it did not
	blend        *fade         // from the last way of drawing; nil: it was always drawn in one way
	error        *fade         // the visual error, or how far a damped entity is behind; nil: there was none
	carriedPoses []carriedPose // by carried component; nil: it was never carried
}

// keepSegment keeps the two states that the last frame drew an entity between while the head is between them. A
// state between them that arrives late would make the entity jump.
func (f *figure) keepSegment(r *mirror.Replica, h *mirror.History, from, to *mirror.State, head float64) (a, b *mirror.State) {
	since, until := f.between[0], f.between[1]
	if until == 0 || head < float64(since) || head >= float64(until) || to != nil && from.Tick == since && to.Tick == until {
		return from, to
	}
	a, _, _ = h.Around(r.ID, r.At.Slot, float64(since))
	b, _, _ = h.Around(r.ID, r.At.Slot, float64(until))
	if a == nil || b == nil || a.Tick != since || b.Tick != until {
		return from, to
	}
	return a, b
}

// noteSegment stores the states that an entity is drawn between.
func (f *figure) noteSegment(from, to *mirror.State, ahead bool) {
	f.between, f.ahead = [2]uint32{from.Tick, 0}, 0
	if to != nil {
		f.between[1] = to.Tick
	} else if ahead {
		f.ahead = from.Send
	}
}

// checkJump removes the fades of an entity that teleported since the last frame. before and now are its teleport counts.
func (f *figure) checkJump(before, now uint8) {
	if before != now {
		f.dropFades()
	}
}

// dropFades removes all differences between the drawn and the actual state.
func (f *figure) dropFades() {
	f.error.drop()
	f.blend.drop()
	for i := range f.carriedPoses {
		f.carriedPoses[i].on = false
	}
}
