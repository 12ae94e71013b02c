package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// gone is the error that nobody sees, in units.
const gone = 1e-9

// visualError is what leads from where an entity is simulated to where it is drawn, as
// it was when it came up: the offset of each component, at its place among all that move. A
// component that the entity does not have, or no longer, has none.
type visualError struct {
	on     bool
	at     time.Time
	offset []float64
}

// kept is the poses that entities were drawn in before a correction.
type kept struct {
	pose pose
	list []posed
}

// posed is an entity whose pose was kept.
type posed struct {
	id    uint32
	f     *figure
	e     ecs.Entity // whose values the pose goes with
	mask  uint64
	jumps uint8
	at    int  // where its values begin among those that are kept
	lost  bool // its error is of no use
}

func (k *kept) clear() { k.pose, k.list = k.pose[:0], k.list[:0] }

// keepSimulated keeps what is drawn of an entity that this client simulates, before ticks
// are simulated again.
func (d *drawer) keepSimulated(id uint32, f *figure, e ecs.Entity) {
	switch {
	case d.world.Netcode().Suspended(e):
		return
	case f.entity.IsZero():
		return // not seen yet, or only as foretold
	case f.blending() && f.blend.since.IsZero():
		return // it begins to be drawn as simulated, see blend
	}
	d.keepPose(id, f, d.world, e, d.world.Netcode().Mask(e))
}

// keepPose keeps what is drawn for an entity of a world, of the components in a mask.
func (d *drawer) keepPose(id uint32, f *figure, w *ecs.World, e ecs.Entity, mask uint64) {
	k := &d.kept
	k.list = append(k.list, posed{id: id, f: f, e: e, mask: mask, jumps: d.jumpsOf(w, e), at: len(k.pose)})
	for i := range d.moving {
		if m := &d.moving[i]; mask&m.bit != 0 {
			p := k.pose.keep(w.Netcode().Pointer(e, m.Component), m.Component)
			d.shiftError(f, m, p)
		}
	}
}

// takeErrors makes what a replay changed the visual error.
func (d *drawer) takeErrors() {
	for i := range d.kept.list {
		x := &d.kept.list[i]
		there := !x.lost && !d.world.Netcode().Suspended(x.e)
		d.takePose(x, d.world, there && d.jumpsOf(d.world, x.e) == x.jumps)
	}
	d.kept.list = d.kept.list[:0]
}

// takePose makes what was kept and what its entity of a world has now differ by the visual
// error; or none, where the two are not to be compared.
func (d *drawer) takePose(x *posed, w *ecs.World, on bool) {
	at := x.at
	v := x.f.lagging(d.offsets)
	v.on, v.at = on, d.now()
	clear(v.offset)
	for i := range d.moving {
		m := &d.moving[i]
		if x.mask&m.bit == 0 {
			continue
		}
		if p := w.Netcode().Pointer(x.e, m.Component); on && p != nil {
			m.Schema.Offset(v.offset[m.place:m.end], p, unsafe.Pointer(&d.kept.pose[at]))
		}
		at += wordsOf(m.Component)
	}
}

// shiftError moves a value of a component by what is left of the visual error. It
// returns how much that is.
func (d *drawer) shiftError(f *figure, m *moving, p unsafe.Pointer) float64 {
	v := f.error
	if v == nil || !v.on {
		return 0
	}
	offset := v.offset[m.place:m.end]
	size := m.Schema.Extent(offset)
	if size == 0 {
		return 0
	}
	part := d.smoothing.left(size, max(d.now().Sub(v.at).Seconds(), 0))
	if size *= part; size > gone && p != nil {
		m.Schema.Shift(p, offset, part)
	}
	return size
}

// drawError moves what was just drawn of an entity by what is left of its visual error.
func (d *drawer) drawError(f *figure) {
	if f.error == nil || !f.error.on {
		return
	}
	left := 0.0
	for i := range d.moving {
		m := &d.moving[i]
		left = max(left, d.shiftError(f, m, d.view.Netcode().Pointer(f.entity, m.Component)))
	}
	f.error.on = left > gone
}

// errorOf is what is left of the visual error of an entity in the view, in the component in
// which it is largest.
func (d *drawer) errorOf(f *figure) (most float64) {
	for i := range d.moving {
		if m := &d.moving[i]; d.view.Netcode().Pointer(f.entity, m.Component) != nil {
			most = max(most, d.shiftError(f, m, nil))
		}
	}
	return most
}

// blendTicks is over how many ticks the drawn pose goes over from one way of drawing to
// another, when an entity comes to be simulated here or no longer is: a fifth of a second
// at 60 a second.
const blendTicks = 12

// blend is a pose that is being left: what was drawn in the last frame before the switch.
// The share that it has in what is drawn falls in a straight line, by time and not by
// frames, so that nothing jumps however many frames there are.
type blend struct {
	on    bool
	since time.Time // of the last frame that showed the pose alone; zero: not drawn since
	mask  uint64
	from  pose
}

// pose is values of the interpolated components of entities, one after the other, each from a
// whole word on.
type pose []uint64

// keep copies a value behind those that are kept, and returns the copy.
func (p *pose) keep(src unsafe.Pointer, comp *ecs.Component) unsafe.Pointer {
	at := len(*p)
	for range wordsOf(comp) {
		*p = append(*p, 0)
	}
	dst := unsafe.Pointer(&(*p)[at])
	copyValue(dst, src, comp)
	return dst
}

// leave keeps what is drawn of an entity, before it is drawn in another way.
func (d *drawer) leave(f *figure) {
	if f.entity.IsZero() {
		return
	}
	if f.blend == nil {
		f.blend = &blend{}
	}
	f.settled() // what is drawn has it already
	f.ahead = 0
	for i := range f.stood {
		f.stood[i].on = f.stood[i].on && f.stood[i].carrier != 0
	}
	b := f.blend
	*b = blend{on: true, mask: d.view.Netcode().Mask(f.entity), from: b.from[:0]}
	for i := range d.moving {
		if m := &d.moving[i]; b.mask&m.bit != 0 {
			b.from.keep(d.view.Netcode().Pointer(f.entity, m.Component), m.Component)
		}
	}
}

// drawBlend mixes the pose that is being left into what was just drawn.
func (d *drawer) drawBlend(f *figure) {
	if !f.blending() {
		return
	}
	b := f.blend
	if b.since.IsZero() {
		b.since = d.before
	}
	over := blendTicks * d.world.StepDuration()
	left := 1 - d.now().Sub(b.since).Seconds()/over.Seconds()
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
