package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

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
