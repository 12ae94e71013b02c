package systems

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"

	"github.com/tactusgo/tactus/ecs"
)

// Damping says how the view follows entities of others under policy.RemotesDamped: each
// interpolated component moves toward its newest confirmed value, at Rate times its
// distance a second, but no slower than Rate units a second. The zero value has the
// documented defaults.
type Damping struct {
	// Rate is d, 1/s: the larger, the closer to what is confirmed, and the more of
	// each snapshot is seen as a step. Default (0): 10.
	Rate float64
	// Snap is the distance beyond which the view jumps, in units of the component, of
	// angles, directions and rotations in radians: somewhat more than what moves fastest
	// covers between snapshots. Default (0): 3, which for what only turns is hardly ever.
	Snap float64
}

const (
	defaultDampingRate = 10
	defaultDampingSnap = 3
)

func (d Damping) filled() Damping {
	if d.Rate == 0 {
		d.Rate = defaultDampingRate
	}
	if d.Snap == 0 {
		d.Snap = defaultDampingSnap
	}
	return d
}

// Validate reports what is wrong with d; it never changes it.
func (d Damping) Validate() error {
	if !(d.Rate >= 0 && d.Rate <= 1000) || !(d.Snap >= 0) {
		return fmt.Errorf("%w: Damping %+v: Rate is 0 to 1000 (0: %d), Snap 0 or more (0: %d)", ErrConfig, d, defaultDampingRate, defaultDampingSnap)
	}
	return nil
}

// left is how far apart two values are after seconds that were so far apart before. It
// is the solution of the rule, so that it is the same in however many frames.
func (d Damping) left(apart, seconds float64) float64 {
	if apart > d.Snap {
		return 0
	}
	if apart > 1 { // it decays down to one unit
		until := math.Log(apart) / d.Rate
		if seconds < until {
			return apart * math.Exp(-d.Rate*seconds)
		}
		apart, seconds = 1, seconds-until
	}
	return max(apart-d.Rate*seconds, 0)
}

// damping is the clock of a view that is damped.
type damping struct {
	last    time.Time // of the frame before
	seconds float64   // since then
	newest  uint32    // tick of the newest snapshot
	heard   time.Time // when it was first drawn toward
}

// begin begins a frame. It reports whether two snapshots are missing in a row.
func (d *damping) begin(now time.Time, newest uint32, every time.Duration) (stalled bool) {
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

// interpolateDamped is the system Interpolate where others are damped.
func (c *Client) interpolateDamped() {
	every := c.world.StepDuration() * time.Duration(c.shape.sendEvery)
	if c.interpolator.damping.begin(c.steps.now, c.mirror.newestTick, every) {
		c.stats.Stalls++
	}
	c.interpolator.clock.head = float64(c.mirror.newestTick)
	c.interpolator.sight = sight{head: c.interpolator.clock.head, from: c.mirror.newestTick, votes: 1}
	for _, r := range c.mirror.replicas {
		d := c.interpolator.drawn.Of(r)
		switch {
		case r.Removed.Tick != 0, c.world.Netcode().Suspended(r.Entity):
			c.hide(r.ID, d)
		case r.Entity.IsZero():
		case c.simulates(r.Entity):
			c.drawOwn(r.ID, r.Entity, d)
		default:
			c.drawDamped(r, d)
		}
	}
	c.drawSpawns()
}

// drawDamped moves what is drawn of an entity toward its newest confirmed state.
func (c *Client) drawDamped(r *mirror.Replica, d *drawn) {
	mask := c.world.Netcode().Mask(r.Entity)
	was := d.entity
	jumped := d.landed(c.interpolator.smoother.jumpsOf(c.view, d.entity), c.interpolator.smoother.jumpsOf(c.world, r.Entity))
	c.show(r.ID, d, mask, false)
	if d.entity != was || jumped || d.blending() {
		clear(d.lag)
		c.copyOwn(d.entity, r.Entity, ^uint64(0))
		c.blendPose(d)
		return
	}
	d.lag = reuse.Slice(d.lag, len(c.shape.replicated))
	for i, comp := range c.shape.replicated {
		if mask&(1<<comp.Replicated()) == 0 || comp.Words == 0 {
			continue
		}
		dst, src := c.view.Netcode().Pointer(d.entity, comp), c.world.Netcode().Pointer(r.Entity, comp)
		if comp.Mode&ecs.Interpolated == 0 {
			copyValue(dst, src, comp)
			continue
		}
		apart := comp.Schema.Distance(dst, src)
		seconds := d.lag[i] + c.interpolator.damping.seconds
		d.lag[i] = 0
		left := c.config.Damping.left(apart, seconds)
		if left <= 0 {
			copyValue(dst, src, comp)
			continue
		}
		before := c.scratchFor(comp)
		copyValue(before, dst, comp)
		comp.Schema.Lerp(dst, dst, src, 1-left/apart)
		if comp.Schema.Distance(before, dst) == 0 {
			d.lag[i] = seconds // whole numbers may need more than a frame for a step
		}
	}
}

// copyValue copies one value of a component.
func copyValue(dst, src unsafe.Pointer, comp *ecs.Component) {
	n := comp.Schema.Size
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
