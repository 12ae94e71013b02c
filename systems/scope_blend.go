package systems

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
	from  []uint64 // interpolated components, one after the other, each from a whole word on
}

// leavePose keeps what is drawn of an entity, before it is drawn in another way.
func (c *Client) leavePose(d *drawn) {
	if d.entity.IsZero() {
		return
	}
	if d.blend == nil {
		d.blend = &blend{}
	}
	d.settled() // what is drawn has it already
	d.ahead = 0
	b := d.blend
	*b = blend{on: true, mask: c.view.Netcode().Mask(d.entity), from: b.from[:0]}
	for _, comp := range c.shape.replicated {
		if b.mask&(1<<comp.Replicated()) == 0 || comp.Words == 0 || comp.Mode&ecs.Interpolated == 0 {
			continue
		}
		at := len(b.from)
		for range (comp.Schema.Size + 7) / 8 {
			b.from = append(b.from, 0)
		}
		copyValue(unsafe.Pointer(&b.from[at]), c.view.Netcode().Pointer(d.entity, comp), comp)
	}
}

// blending reports whether a pose is being left.
func (d *drawn) blending() bool { return d.blend != nil && d.blend.on }

// blendPose mixes the pose that is being left into what was just drawn.
func (c *Client) blendPose(d *drawn) {
	if !d.blending() {
		return
	}
	b := d.blend
	if b.since.IsZero() {
		b.since = c.interpolator.frameBefore
	}
	over := blendTicks * c.world.StepDuration()
	left := 1 - c.steps.now.Sub(b.since).Seconds()/over.Seconds()
	if left <= 0 {
		b.on = false
		return
	}
	at := 0
	for _, comp := range c.shape.replicated {
		if b.mask&(1<<comp.Replicated()) == 0 || comp.Words == 0 || comp.Mode&ecs.Interpolated == 0 {
			continue
		}
		if p := c.view.Netcode().Pointer(d.entity, comp); p != nil {
			comp.Schema.Lerp(p, p, unsafe.Pointer(&b.from[at]), left)
		}
		at += int((comp.Schema.Size + 7) / 8)
	}
}
