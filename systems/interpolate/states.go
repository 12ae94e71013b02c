package interpolate

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// states is what draws by states: between them, or damped.
type states struct {
	*System
	mirror      *mirror.Mirror
	figures     mirror.Records[figure]
	step        float64 // seconds a tick
	beyond      float64 // ticks that the head may pass the newest state by
	oldest      uint32  // tick of the oldest state that something is drawn from on its way to another
	written     func(ecs.Entity) uint64
	coSimulated func() bool
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

// passage is the states around a tick that tell of an entity.
type passage struct {
	from, to *mirror.State // either may be nil
	slot     int
	gone     bool // it was not there between the first and the tick
	before   bool // it stood elsewhere then, with other components
}

// around is the newest state of an entity at or before a tick, and the oldest after it; with moved
// also where it stood before.
func (s *states) around(r *mirror.Replica, tick float64, moved bool) (p passage) {
	p.from, p.to, p.gone = s.mirror.Store.World[r.At.Group].Around(r.ID, r.At.Slot, tick)
	p.slot = int(r.At.Slot)
	if moved { // it has other components from now on, but maybe not yet then
		old, later, _ := s.mirror.Store.World[r.Before.Group].Around(r.ID, r.Before.Slot, tick)
		if old != nil && (p.from == nil || old.Tick > p.from.Tick) {
			p = passage{old, later, int(r.Before.Slot), false, true}
		}
	}
	return p
}

// readAt reads what the state of a tick had of an entity's component. It reports whether
// that had it.
func (s *states) readAt(into unsafe.Pointer, r *mirror.Replica, tick uint32, comp *ecs.Component) bool {
	k := r.At.Slot
	st := s.stateAt(r.At.Group, r.ID, k, tick)
	if r.Moves > 0 && st == nil {
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

// figure is what is kept of an entity in the view.
type figure struct {
	entity  ecs.Entity   // in the view; zero: not there
	moves   uint32       // of the entity that the view has followed
	between [2]uint32    // ticks of the states that it was drawn between last; 0: none
	ahead   uint32       // send of the state that the last frame carried it on from; 0: it did not
	blend   *blend       // nil: it was always drawn in one way
	error   *visualError // nil: there was none
	lag     []float64    // seconds of frames that were too short to move a component; see damped
	stood   []stood      // by component that is carried; nil: it was never seen to be
}

// goOn stays with the two states that an entity was drawn between in the last frame for as
// long as the head is there: one between them that comes only now would make it jump.
func (f *figure) goOn(r *mirror.Replica, h *mirror.History, from, to *mirror.State, head float64) (a, b *mirror.State) {
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

// tell notes what an entity is drawn between.
func (f *figure) tell(from, to *mirror.State, ahead bool) {
	f.between, f.ahead = [2]uint32{from.Tick, 0}, 0
	if to != nil {
		f.between[1] = to.Tick
	} else if ahead {
		f.ahead = from.Send
	}
}

// lagging is the visual error of an entity, with room for it.
func (f *figure) lagging(length int) *visualError {
	if f.error == nil {
		f.error = &visualError{offset: make([]float64, length)}
	}
	return f.error
}

// settled forgets a visual error.
func (f *figure) settled() {
	if f.error != nil {
		f.error.on = false
	}
}

// blending reports whether a pose is being left.
func (f *figure) blending() bool { return f.blend != nil && f.blend.on }

// landed drops the visual error, and a pose that is being left, of an entity that jumped
// since the last frame, by its counts then and now. It reports whether it did.
func (f *figure) landed(before, now uint8) (jumped bool) {
	if before == now {
		return false
	}
	f.drop()
	return true
}

// drop forgets what is drawn beside what is so.
func (f *figure) drop() {
	f.settled()
	if f.blend != nil {
		f.blend.on = false
	}
	for i := range f.stood {
		f.stood[i].on = false
	}
}
