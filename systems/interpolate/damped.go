package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// damped moves other clients' entities toward their newest confirmed states.
type damped struct {
	*states
	damping damping
	last    time.Time // time of the previous frame
	seconds float64   // since the previous frame
	newest  uint32    // tick of the newest snapshot
	heard   time.Time // when that snapshot was first drawn
}

// startFrame starts a frame. It reports whether two consecutive snapshots are missing.
func (d *damped) startFrame(now time.Time, newest uint32, every time.Duration) (stalled bool) {
	if newest != d.newest || d.heard.IsZero() {
		d.newest, d.heard = newest, now
	}
	d.seconds = 0
	if !d.last.IsZero() {
		d.seconds = max(now.Sub(d.last).Seconds(), 0)
	}
	d.last = now
	return now.Sub(d.heard) > 3*every
}

func (d *damped) draw(float64) progress {
	newest := d.mirror.Newest.Tick
	stalled := d.startFrame(d.now(), newest, d.world.StepDuration()*time.Duration(d.Every()))
	d.head = float64(newest)
	d.sight = sight{head: d.head, from: newest, votes: 1}
	for _, r := range d.mirror.Entities.All() {
		f := d.figures.Of(r)
		switch {
		case r.Removed.Tick != 0, d.world.Netcode().Suspended(r.Entity):
			d.hide(r.ID, f)
		case r.Entity.IsZero():
		case d.simulates(r.Entity):
			d.drawSimulated(r.ID, f, r.Entity)
		default:
			d.follow(r.ID, f, r.Entity)
		}
	}
	d.drawSpawns()
	if stalled {
		return stalls
	}
	return moves
}

// follow moves the drawn entity toward its newest confirmed state.
func (d *damped) follow(id uint32, f *figure, e ecs.Entity) {
	mask := d.world.Netcode().Mask(e)
	was := f.entity
	jumped := f.checkJump(d.jumpsOf(d.view, f.entity), d.jumpsOf(d.world, e))
	d.show(id, f, mask, false)
	if f.entity != was || jumped || f.blending() {
		clear(f.lag)
		d.copy(f.entity, e, ^uint64(0))
		d.drawBlend(f)
		return
	}
	f.lag = reuse.Slice(f.lag, len(d.comps))
	for i, comp := range d.comps {
		if mask&(1<<comp.Replicated()) == 0 || comp.Words == 0 {
			continue
		}
		dst, src := d.view.Netcode().Pointer(f.entity, comp), d.world.Netcode().Pointer(e, comp)
		if comp.Mode&ecs.Interpolated == 0 || d.leavesCarrier(f, comp) {
			copyValue(dst, src, comp)
			continue
		}
		apart := comp.Schema.Distance(dst, src)
		seconds := f.lag[i] + d.seconds
		f.lag[i] = 0
		left := d.damping.left(apart, seconds)
		if left <= 0 {
			copyValue(dst, src, comp)
			continue
		}
		before := unsafe.Pointer(unsafe.SliceData(d.value))
		copyValue(before, dst, comp)
		comp.Schema.Lerp(dst, dst, src, 1-left/apart)
		if comp.Schema.Distance(before, dst) == 0 {
			f.lag[i] = seconds // integers may need several frames for one step
		}
	}
}
