package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// invisible is the difference below which a fade ends, in units.
const invisible = 1e-9

// fade is a difference between the drawn and the actual pose of an entity, which gets smaller with time, not with
// frames, so that nothing jumps at any frame rate.
type fade struct {
	mask   uint64   // components of the pose
	from   []uint64 // their values, one after the other, each starting at a whole word
	waits  bool     // it starts when the entity is drawn again, from the time of the last frame that showed the pose
	on     bool
	since  time.Time
	law    law
	offset []float64 // of each component, at its place among all interpolated components; 0 for one that the entity does not have
}

// law says how a difference gets smaller.
type law interface {
	// left returns the share of a difference that is left after seconds. size is the difference, in units of the component.
	left(size, seconds float64) float64
}

// blendTicks is the duration of a blend between two ways of drawing, in ticks, when an entity starts or stops being
// simulated or changes its carrier: a fifth of a second at 60 ticks per second.
const blendTicks = 12

// linear is the law of a blend, with its duration in seconds.
type linear float64

func (l linear) left(_, seconds float64) float64 { return max(1-seconds/float64(l), 0) }

// keep stores the pose of an entity of a world, for the components in a mask, moved by what is left of a fade at a time. The
// fade may be nil.
func (d *drawer) keep(x *fade, w *ecs.World, e ecs.Entity, mask uint64, with *fade, now time.Time) {
	x.mask, x.from = mask, x.from[:0]
	for i := range d.moving {
		m := &d.moving[i]
		if mask&m.bit == 0 {
			continue
		}
		at := len(x.from)
		x.from = append(x.from, make([]uint64, wordsOf(m.Component))...)
		copyValue(unsafe.Pointer(&x.from[at]), w.Netcode().Pointer(e, m.Component), m.Component)
		with.shift(m, unsafe.Pointer(&x.from[at]), now)
	}
}

// startFade makes a fade the difference from the state of an entity of a world to the stored pose.
func (d *drawer) startFade(x *fade, w *ecs.World, e ecs.Entity, since time.Time, by law) {
	x.waits, x.on, x.since, x.law, x.offset = false, true, since, by, reuse.Slice(x.offset, d.offsets)
	clear(x.offset)
	at := 0
	for i := range d.moving {
		m := &d.moving[i]
		if x.mask&m.bit == 0 {
			continue
		}
		if p := w.Netcode().Pointer(e, m.Component); p != nil {
			m.Schema.Offset(x.offset[m.start:m.end], p, unsafe.Pointer(&x.from[at]))
		}
		at += wordsOf(m.Component)
	}
}

// wait makes a fade start when the entity is drawn again.
func (x *fade) wait(by law) { x.waits, x.on, x.law = true, false, by }

// waiting reports whether the fade has not started.
func (x *fade) waiting() bool { return x != nil && x.waits }

// drop ends the fade.
func (x *fade) drop() {
	if x != nil {
		x.waits, x.on = false, false
	}
}

// shift moves a value of a component by the difference that is left at a time. It returns the size of that difference.
func (x *fade) shift(m *moving, p unsafe.Pointer, at time.Time) float64 {
	if x == nil || !x.on {
		return 0
	}
	offset := x.offset[m.start:m.end]
	size := m.Schema.Extent(offset)
	if size == 0 {
		return 0
	}
	part := x.law.left(size, max(at.Sub(x.since).Seconds(), 0))
	if size *= part; size > invisible && p != nil {
		m.Schema.Shift(p, offset, part)
	}
	return size
}

// drawFade moves the drawn entity by the difference that is left.
func (d *drawer) drawFade(x *fade, e ecs.Entity) {
	if x == nil || !x.on {
		return
	}
	left, now := 0.0, d.time()
	for i := range d.moving {
		m := &d.moving[i]
		left = max(left, x.shift(m, d.view.Netcode().Pointer(e, m.Component), now))
	}
	x.on = left > invisible
}

// keptPose is an entity whose drawn pose is stored before ticks are simulated again.
type keptPose struct {
	id    uint32
	f     *figure
	e     ecs.Entity // the entity that the pose belongs to
	jumps uint8
	lost  bool // its error must not be used
}

// keepSimulated stores the drawn pose of a simulated entity before ticks are simulated again.
func (d *drawer) keepSimulated(id uint32, f *figure, e ecs.Entity) {
	if !d.world.Netcode().Suspended(e) && d.keepDrawn(f, d.world, e, d.world.Netcode().Mask(e), d.time()) {
		d.kept = append(d.kept, keptPose{id: id, f: f, e: e, jumps: d.jumpsOf(d.world, e)})
	}
}

// keepDrawn stores the pose of an entity of a world, moved by the visual error that is left at a time. It returns false
// if the entity is not drawn, only as a predicted spawn, or not yet in the way that has just begun.
func (d *drawer) keepDrawn(f *figure, w *ecs.World, e ecs.Entity, mask uint64, now time.Time) bool {
	if f.entity.IsZero() || f.blend.waiting() {
		return false
	}
	if f.error == nil {
		f.error = &fade{}
	}
	d.keep(f.error, w, e, mask, f.error, now)
	return true
}

// takeErrors computes the visual errors after a replay.
func (d *drawer) takeErrors() {
	for i := range d.kept {
		x := &d.kept[i]
		if x.lost || d.world.Netcode().Suspended(x.e) || d.jumpsOf(d.world, x.e) != x.jumps {
			x.f.error.drop()
		} else {
			d.startFade(x.f.error, d.world, x.e, d.time(), d.errors)
		}
	}
	d.kept = d.kept[:0]
}

// errorOf returns the remaining visual error of an entity in the view, in the component in which it is largest.
func (d *drawer) errorOf(f *figure) (largest float64) {
	for i := range d.moving {
		if m := &d.moving[i]; d.view.Netcode().Pointer(f.entity, m.Component) != nil {
			largest = max(largest, f.error.shift(m, nil, d.time()))
		}
	}
	return largest
}

// startBlend stores the drawn pose of an entity before it is drawn in another way.
func (d *drawer) startBlend(f *figure) {
	if f.entity.IsZero() {
		return
	}
	f.error.drop() // the drawn pose includes it
	f.ahead = 0
	for i := range f.carriedPoses {
		f.carriedPoses[i].on = f.carriedPoses[i].on && f.carriedPoses[i].carrier != 0
	}
	if f.blend == nil {
		f.blend = &fade{}
	}
	d.keep(f.blend, d.view, f.entity, d.view.Netcode().Mask(f.entity), nil, d.before)
	f.blend.wait(d.blends)
}

// drawFades moves the drawn entity by its differences.
func (d *drawer) drawFades(f *figure) {
	for _, x := range [...]*fade{f.error, f.blend} {
		if x.waiting() {
			d.startFade(x, d.view, f.entity, d.before, x.law)
		}
	}
	d.drawFade(f.error, f.entity)
	d.drawFade(f.blend, f.entity)
}
