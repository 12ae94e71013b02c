package interpolate

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// figure is what is kept of an entity in the view.
type figure struct {
	entity  ecs.Entity   // in the view; zero: not there
	moves   uint32       // of the entity that the view has followed
	between [2]uint32    // ticks of the states that it was drawn between last; 0: none
	ahead   uint32       // send of the state that the last frame carried it on from; 0: it did not
	blend   *blend       // nil: it was always drawn in one way
	error   *visualError // nil: there was none
	lag     []float64    // seconds of frames that were too short to move a component; see damped
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
}
