package systems

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Smoothing says how the view makes up for a correction of what the client simulates.
// The simulation jumps to where it should have been; what is drawn keeps its place, and
// the difference, the visual error, goes away by itself: small ones at Rate, larger ones
// faster. It is by component, for those that are ecs.Interpolated, and never touches what
// is simulated. The zero value has the documented defaults.
type Smoothing struct {
	// Rate is the share of a small error that goes away, 1/s: of it exp(-Rate·t) is left
	// after t seconds. Default (0): 20, which leaves less than 1 % after a quarter of a
	// second.
	Rate float64
	// Double is the error that goes away at twice the rate, in units of the component, of
	// angles, directions and rotations in radians. Default (0): 3.
	Double float64
	// Off draws what is simulated, at once.
	Off bool
}

const (
	defaultSmoothingRate   = 20
	defaultSmoothingDouble = 3
)

func (s Smoothing) filled() Smoothing {
	if s.Rate == 0 {
		s.Rate = defaultSmoothingRate
	}
	if s.Double == 0 {
		s.Double = defaultSmoothingDouble
	}
	return s
}

// Validate reports what is wrong with s; it never changes it.
func (s Smoothing) Validate() error {
	if !(s.Rate >= 0 && s.Rate <= 1000) || !(s.Double >= 0 && s.Double <= math.MaxFloat64) {
		return fmt.Errorf("%w: Smoothing %+v: Rate is 0 to 1000 (0: %d), Double 0 or more (0: %d)", ErrConfig, s, defaultSmoothingRate, defaultSmoothingDouble)
	}
	return nil
}

// left is the share of an error that is left after seconds. It is the solution of
// e' = -Rate·e·(1 + e/Double), so that it is the same in however many frames.
func (s Smoothing) left(size, seconds float64) float64 {
	e := math.Exp(-s.Rate * seconds)
	return e / (1 + size/s.Double*(1-e))
}

// gone is the error that nobody sees, in units.
const gone = 1e-9

// visualError is what leads from where an entity is simulated to where it is drawn, as
// it was when it came up: the offset of each component, at its place in
// smoother.places. A component that the entity does not have, or no longer, has none.
type visualError struct {
	on     bool
	at     time.Time
	offset []float64
}

// smoother is what a client keeps to draw corrections by.
type smoother struct {
	jumps  *ecs.Component // components.Teleports, if the protocol has it
	places []int          // by replicated component: where its offset begins, -1 for none
	length int
	poses  []uint64 // what was drawn of entities before a replay, one after the other
	posed  []posed
	later  []uint64 // room for a value
	from   []uint64
	to     []uint64
	offset []float64
}

// posed is an entity whose pose was kept.
type posed struct {
	id    uint32
	d     *drawn
	e     ecs.Entity // of the world that its values are from
	mask  uint64
	jumps uint8
	at    int  // where its values begin among those that are kept
	lost  bool // its error is of no use
}

func newSmoother(p *ecs.Protocol) smoother {
	s := smoother{jumps: ecs.ComponentOf[components.Teleports](p)}
	if s.jumps != nil && s.jumps.Words == 0 {
		s.jumps = nil
	}
	room, offsets := 1, 0
	for _, comp := range p.Replicated() {
		place := -1
		if comp.Words > 0 && comp.Mode&ecs.Interpolated != 0 {
			place, s.length = s.length, s.length+comp.Schema.Offsets()
			offsets = max(offsets, comp.Schema.Offsets())
		}
		if comp.Words > 0 {
			room = max(room, int(comp.Schema.Size+7)/8)
		}
		s.places = append(s.places, place)
	}
	s.later, s.from, s.to = make([]uint64, room), make([]uint64, room), make([]uint64, room)
	s.offset = make([]float64, offsets)
	return s
}

// errorOf is the part of a visual error that is a component's, or nil.
func (s *smoother) errorOf(v *visualError, comp *ecs.Component) []float64 {
	at := s.places[comp.Replicated()]
	if at < 0 {
		return nil
	}
	return v.offset[at : at+comp.Schema.Offsets()]
}

// jumpsOf is how often an entity has jumped.
func (s *smoother) jumpsOf(w *ecs.World, e ecs.Entity) uint8 {
	if s.jumps == nil || e.IsZero() {
		return 0
	}
	if p := w.Netcode().Pointer(e, s.jumps); p != nil {
		return (*components.Teleports)(p).Count
	}
	return 0
}

// keepPoses keeps what is drawn of those that this client simulates, before a replay.
func (c *Client) keepPoses() {
	if !c.beginPoses() {
		return
	}
	for _, r := range c.mirror.replicas {
		c.keepSimulated(r.ID, r.Entity, c.interpolator.drawn.Of(r))
	}
}

// beginPoses forgets the poses of the last replay. It reports whether any are to be kept.
func (c *Client) beginPoses() bool {
	s := &c.interpolator.smoother
	s.poses, s.posed = s.poses[:0], s.posed[:0]
	return !c.config.Smoothing.Off && c.stages.drawing
}

// keepSimulated keeps what is drawn of an entity, if this client simulates it.
func (c *Client) keepSimulated(id uint32, e ecs.Entity, d *drawn) {
	switch {
	case e.IsZero() || !c.simulates(e) || c.world.Netcode().Suspended(e):
	case d.entity.IsZero(): // not seen yet, or only as foretold
	case d.blending() && d.blend.since.IsZero(): // it begins to be drawn as simulated, see blend
	default:
		c.keepPose(id, d, c.world, e, c.world.Netcode().Mask(e))
	}
}

// keepPose keeps what is drawn for an entity of a world, of the components in a mask.
func (c *Client) keepPose(id uint32, d *drawn, w *ecs.World, e ecs.Entity, mask uint64) {
	s := &c.interpolator.smoother
	s.posed = append(s.posed, posed{id: id, d: d, e: e, mask: mask, jumps: s.jumpsOf(w, e), at: len(s.poses)})
	for i, comp := range c.shape.replicated {
		if mask&(1<<comp.Replicated()) != 0 && s.places[i] >= 0 {
			p := s.keep(w.Netcode().Pointer(e, comp), comp)
			c.shiftError(d, comp, p)
		}
	}
}

// keep copies a value behind those that are kept, and returns the copy.
func (s *smoother) keep(src unsafe.Pointer, comp *ecs.Component) unsafe.Pointer {
	at := len(s.poses)
	for range (comp.Schema.Size + 7) / 8 {
		s.poses = append(s.poses, 0)
	}
	p := unsafe.Pointer(&s.poses[at])
	copyValue(p, src, comp)
	return p
}

// takeErrors makes what a replay changed the visual error.
func (c *Client) takeErrors() {
	s := &c.interpolator.smoother
	for i := range s.posed {
		x := &s.posed[i]
		there := !x.lost && !c.world.Netcode().Suspended(x.e)
		c.takePose(x, c.world, there && s.jumpsOf(c.world, x.e) == x.jumps)
	}
	s.posed = s.posed[:0]
}

// takePose makes what was kept and what its entity of a world has now differ by the visual
// error; or none, where the two are not to be compared.
func (c *Client) takePose(x *posed, w *ecs.World, on bool) {
	s, at := &c.interpolator.smoother, x.at
	v := x.d.lagging(s.length)
	v.on, v.at = on, c.steps.now
	clear(v.offset)
	for i, comp := range c.shape.replicated {
		if x.mask&(1<<comp.Replicated()) == 0 || s.places[i] < 0 {
			continue
		}
		if p := w.Netcode().Pointer(x.e, comp); on && p != nil {
			comp.Schema.Offset(s.errorOf(v, comp), p, unsafe.Pointer(&s.poses[at]))
		}
		at += int((comp.Schema.Size + 7) / 8)
	}
}

// lagging is the visual error of an entity, with room for it.
func (d *drawn) lagging(length int) *visualError {
	if d.error == nil {
		d.error = &visualError{offset: make([]float64, length)}
	}
	return d.error
}

// settled forgets a visual error.
func (d *drawn) settled() {
	if d.error != nil {
		d.error.on = false
	}
}

// shiftError moves a value of a component by what is left of the visual error. It
// returns how much that is.
func (c *Client) shiftError(d *drawn, comp *ecs.Component, p unsafe.Pointer) float64 {
	v := d.error
	if v == nil || !v.on {
		return 0
	}
	offset := c.interpolator.smoother.errorOf(v, comp)
	size := comp.Schema.Extent(offset)
	if size == 0 {
		return 0
	}
	part := c.config.Smoothing.left(size, max(c.steps.now.Sub(v.at).Seconds(), 0))
	if size *= part; size > gone && p != nil {
		comp.Schema.Shift(p, offset, part)
	}
	return size
}

// drawError moves what was just drawn of an entity by what is left of its visual error.
func (c *Client) drawError(d *drawn) {
	if d.error == nil || !d.error.on {
		return
	}
	left := 0.0
	for i, comp := range c.shape.replicated {
		if c.interpolator.smoother.places[i] >= 0 {
			left = max(left, c.shiftError(d, comp, c.view.Netcode().Pointer(d.entity, comp)))
		}
	}
	d.error.on = left > gone
}

// landed drops the visual error, and a pose that is being left, of an entity that jumped
// since the last frame, by its counts then and now. It reports whether it did.
func (d *drawn) landed(before, now uint8) (jumped bool) {
	if before == now {
		return false
	}
	d.settled()
	if d.blend != nil {
		d.blend.on = false
	}
	return true
}

// Drawing says how the newest frame drew an entity.
type Drawing struct {
	// Simulated says that it was drawn as this client simulates it, and not by what is
	// confirmed of it.
	Simulated bool
	// From and To are the ticks of the confirmed states that it was drawn between; To is
	// 0 where nothing later was there. Both are 0 for what is simulated, and where others
	// are damped.
	From, To uint32
	// Error is what is left of the visual error, in units of the component in which it is
	// largest, of angles in radians.
	Error float64
}

// Drawing tells how the newest frame drew an entity of [Client.View]: for tools that show
// what the netcode does. It is false for entities that the view does not have,
// and for spawns that are predicted and not yet confirmed.
func (c *Client) Drawing(e ecs.Entity) (d Drawing, ok bool) {
	if c.world == nil || !c.stages.drawing {
		return d, false
	}
	source, x := c.model.known.Drawn(uint32(c.view.NetID(e)))
	if x == nil || x.entity != e || e.IsZero() {
		return d, false
	}
	if d.Simulated = !source.IsZero() && c.simulates(source); !d.Simulated {
		d.From, d.To = x.between[0], x.between[1]
	}
	if x.error == nil || !x.error.on {
		return d, true
	}
	for i, comp := range c.shape.replicated {
		if c.interpolator.smoother.places[i] >= 0 && c.view.Netcode().Pointer(e, comp) != nil {
			d.Error = max(d.Error, c.shiftError(x, comp, nil))
		}
	}
	return d, true
}
