package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// invisible is the error below which smoothing ends, in units.
const invisible = 1e-9

// visualError is the difference between the drawn and the simulated state of an entity at time at: the offset of
// each component, at its place among all interpolated components. A component that the entity does not have has no
// offset.
type visualError struct {
	on     bool
	at     time.Time
	offset []float64
}

// kept stores the poses in which entities were drawn before a correction.
type kept struct {
	pose pose
	list []keptPose
}

// keptPose is an entity whose pose is stored.
type keptPose struct {
	id    uint32
	f     *figure
	e     ecs.Entity // the entity that the values belong to
	mask  uint64
	jumps uint8
	at    int  // index of its first value in the stored poses
	lost  bool // its error must not be used
}

func (k *kept) clear() { k.pose, k.list = k.pose[:0], k.list[:0] }

// keepSimulated stores the drawn pose of a simulated entity before ticks are simulated again.
func (d *drawer) keepSimulated(id uint32, f *figure, e ecs.Entity) {
	switch {
	case d.world.Netcode().Suspended(e):
		return
	case f.entity.IsZero():
		return // not drawn yet, or only as a predicted spawn
	case f.blending() && f.blend.since.IsZero():
		return // it has just begun to be drawn as simulated, see blend
	}
	d.keepPose(id, f, d.world, e, d.world.Netcode().Mask(e))
}

// keepPose stores the drawn pose of an entity of a world, for the components in a mask.
func (d *drawer) keepPose(id uint32, f *figure, w *ecs.World, e ecs.Entity, mask uint64) {
	k := &d.kept
	k.list = append(k.list, keptPose{id: id, f: f, e: e, mask: mask, jumps: d.jumpsOf(w, e), at: len(k.pose)})
	for i := range d.moving {
		if m := &d.moving[i]; mask&m.bit != 0 {
			p := k.pose.keep(w.Netcode().Pointer(e, m.Component), m.Component)
			d.shiftError(f, m, p)
		}
	}
}

// takeErrors computes the visual errors after a replay.
func (d *drawer) takeErrors() {
	for i := range d.kept.list {
		x := &d.kept.list[i]
		there := !x.lost && !d.world.Netcode().Suspended(x.e)
		d.computeError(x, d.world, there && d.jumpsOf(d.world, x.e) == x.jumps)
	}
	d.kept.list = d.kept.list[:0]
}

// computeError sets the visual error to the difference between the stored pose and the entity's state in a world,
// or removes the error if on is false.
func (d *drawer) computeError(x *keptPose, w *ecs.World, on bool) {
	at := x.at
	v := x.f.ensureError(d.offsets)
	v.on, v.at = on, d.time()
	clear(v.offset)
	for i := range d.moving {
		m := &d.moving[i]
		if x.mask&m.bit == 0 {
			continue
		}
		if p := w.Netcode().Pointer(x.e, m.Component); on && p != nil {
			m.Schema.Offset(v.offset[m.start:m.end], p, unsafe.Pointer(&d.kept.pose[at]))
		}
		at += wordsOf(m.Component)
	}
}

// shiftError moves a value of a component by the remaining visual error. It returns the size of that error.
func (d *drawer) shiftError(f *figure, m *moving, p unsafe.Pointer) float64 {
	v := f.error
	if v == nil || !v.on {
		return 0
	}
	offset := v.offset[m.start:m.end]
	size := m.Schema.Extent(offset)
	if size == 0 {
		return 0
	}
	part := d.smoothing.left(size, max(d.time().Sub(v.at).Seconds(), 0))
	if size *= part; size > invisible && p != nil {
		m.Schema.Shift(p, offset, part)
	}
	return size
}

// drawError moves the drawn entity by its remaining visual error.
func (d *drawer) drawError(f *figure) {
	if f.error == nil || !f.error.on {
		return
	}
	left := 0.0
	for i := range d.moving {
		m := &d.moving[i]
		left = max(left, d.shiftError(f, m, d.view.Netcode().Pointer(f.entity, m.Component)))
	}
	f.error.on = left > invisible
}

// errorOf returns the remaining visual error of an entity in the view, in the component in which it is largest.
func (d *drawer) errorOf(f *figure) (largest float64) {
	for i := range d.moving {
		if m := &d.moving[i]; d.view.Netcode().Pointer(f.entity, m.Component) != nil {
			largest = max(largest, d.shiftError(f, m, nil))
		}
	}
	return largest
}

// blendTicks is the duration of a blend between two ways of drawing, in ticks, when an entity starts or stops being
// simulated: a fifth of a second at 60 ticks per second.
const blendTicks = 12

// blend fades out the pose that was drawn in the last frame before a switch. Its share decreases linearly with
// time, not with frames, so that nothing jumps at any frame rate.
type blend struct {
	on    bool
	since time.Time // time of the last frame that showed the pose alone; zero: not drawn since
	mask  uint64
	from  pose
}

// pose holds values of interpolated components, one after the other, each starting at a whole word.
type pose []uint64

// keep appends a value and returns a pointer to the copy.
func (p *pose) keep(src unsafe.Pointer, comp *ecs.Component) unsafe.Pointer {
	at := len(*p)
	for range wordsOf(comp) {
		*p = append(*p, 0)
	}
	dst := unsafe.Pointer(&(*p)[at])
	copyValue(dst, src, comp)
	return dst
}

// startBlend stores the drawn pose of an entity before it is drawn in another way.
func (d *drawer) startBlend(f *figure) {
	if f.entity.IsZero() {
		return
	}
	if f.blend == nil {
		f.blend = &blend{}
	}
	f.dropError() // the drawn pose includes it
	f.ahead = 0
	for i := range f.carriedPoses {
		f.carriedPoses[i].on = f.carriedPoses[i].on && f.carriedPoses[i].carrier != 0
	}
	b := f.blend
	*b = blend{on: true, mask: d.view.Netcode().Mask(f.entity), from: b.from[:0]}
	for i := range d.moving {
		if m := &d.moving[i]; b.mask&m.bit != 0 {
			b.from.keep(d.view.Netcode().Pointer(f.entity, m.Component), m.Component)
		}
	}
}

// drawBlend mixes the earlier pose into the drawn entity.
func (d *drawer) drawBlend(f *figure) {
	if !f.blending() {
		return
	}
	b := f.blend
	if b.since.IsZero() {
		b.since = d.before
	}
	over := blendTicks * d.world.StepDuration()
	left := 1 - d.time().Sub(b.since).Seconds()/over.Seconds()
	if left <= 0 {
		b.on = false
		return
	}
	at := 0
	for i := range d.moving {
		m := &d.moving[i]
		if b.mask&m.bit == 0 {
			continue
		}
		if p := d.view.Netcode().Pointer(f.entity, m.Component); p != nil {
			m.Schema.Lerp(p, p, unsafe.Pointer(&b.from[at]), left)
		}
		at += wordsOf(m.Component)
	}
}
