package interpolate

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// carried holds the drawing state of components that ecs.Carry places.
type carried struct {
	frame      uint64 // number of the current frame
	components []placed
}

// placed is a component that ecs.Carry places.
type placed struct {
	*ecs.Carried
	bit           uint64             // bit of the component in masks
	carrierBits   uint64             // bits of the components that name carriers
	carriedBefore []components.NetID // entities that were carried in the last frame, or that are blending away from a carrier
	carriedNow    []components.NetID // the same for this frame
}

func newCarried(p *ecs.Protocol) carried {
	c := carried{frame: 1} // 0 means never
	for _, of := range ecs.CarriedIn(p) {
		x := placed{Carried: of, bit: 1 << of.Component.Replicated()}
		for i := range of.By {
			x.carrierBits |= 1 << of.By[i].A.Replicated()
		}
		c.components = append(c.components, x)
	}
	return c
}

// carriedPose is how a frame drew a component that ecs.Carry places. If a change of carrier changes the place, the
// difference fades.
type carriedPose struct {
	frame   uint64           // newest frame that drew it; 0: none
	carrier components.NetID // 0: none
	jumps   uint8            // of the entity
	fade
}

// carriedPoseOf returns the pose of the i-th carried component.
func (d *drawer) carriedPoseOf(f *figure, i int) *carriedPose {
	if f.carriedPoses == nil {
		f.carriedPoses = make([]carriedPose, len(d.carried.components))
	}
	return &f.carriedPoses[i]
}

// noteUncarried stores the place of an entity that is about to get components that name its carrier.
func (d *drawer) noteUncarried(f *figure, mask uint64) {
	if f.entity.IsZero() {
		return
	}
	old := d.view.Netcode().Mask(f.entity)
	for i := range d.carried.components {
		if c := &d.carried.components[i]; mask&c.carrierBits != 0 && old&c.carrierBits == 0 && old&c.bit != 0 {
			d.noteDrawn(d.carriedPoseOf(f, i), c, f.entity, 0, d.carried.frame-1)
		}
	}
}

// noteDrawn stores what a frame drew of an entity.
func (d *drawer) noteDrawn(s *carriedPose, c *placed, e ecs.Entity, carrier components.NetID, frame uint64) {
	s.frame, s.carrier, s.jumps = frame, carrier, d.jumpsOf(d.view, e)
	d.keep(&s.fade, d.view, e, c.bit, nil, d.before)
}

// carrying draws carried entities at the place of their drawn carriers.
type carrying struct{ *System }

// draw places all carried entities, carriers first.
func (s carrying) draw() {
	for i := range s.carried.components {
		c := &s.carried.components[i]
		for t := range s.view.Netcode().Tables {
			s.drawTable(i, t)
		}
		for t := range s.view.Netcode().Simulated {
			if t.NetIDs == nil { // predicted spawns
				s.drawTable(i, t)
			}
		}
		for _, id := range c.carriedBefore { // including entities that no longer name a carrier
			if e, there := s.view.ByNetID(id); there && s.view.Netcode().Mask(e)&c.bit != 0 {
				s.drawOn(i, e, nil)
			}
		}
		c.carriedBefore, c.carriedNow = c.carriedNow, c.carriedBefore[:0]
	}
}

func (s carrying) drawTable(i int, t ecs.Table) {
	c := &s.carried.components[i]
	if t.Mask&c.bit == 0 || t.Mask&c.carrierBits == 0 {
		return
	}
	var links [ecs.MaxCarried]ecs.Link
	for _, e := range t.Entities {
		n := c.Chain(s.view, e, false, &links)
		if n == 0 {
			s.drawOn(i, e, nil)
			continue
		}
		s.drawOn(i, links[n-1].Carrier, nil)
		for ; n > 0; n-- {
			s.drawOn(i, links[n-1].Entity, &links[n-1])
		}
	}
}

// drawOn draws an entity where a link places it, once per frame. nil means that it is not carried.
func (s carrying) drawOn(i int, e ecs.Entity, l *ecs.Link) {
	c := &s.carried.components[i]
	f, _ := s.renderer.find(uint32(s.view.NetID(e)))
	known := f != nil && f.entity == e
	if known && s.carriedPoseOf(f, i).frame == s.carried.frame {
		return
	}
	carrier := components.NetID(0)
	if l != nil {
		carrier = l.ID
		c.Place(s.view, l)
	}
	if !known {
		return // a predicted spawn, or drawn by a game's own system
	}
	st := s.carriedPoseOf(f, i)
	if c.Component.Mode&ecs.Interpolated != 0 {
		s.blendCarrier(st, c, e, carrier)
	}
	s.noteDrawn(st, c, e, carrier, s.carried.frame)
	if carrier != 0 || st.on {
		c.carriedNow = append(c.carriedNow, s.view.NetID(e))
	}
}

// blendCarrier moves the drawn value of an entity toward its place before its carrier changed.
func (s carrying) blendCarrier(st *carriedPose, c *placed, e ecs.Entity, carrier components.NetID) {
	switch {
	case st.frame != s.carried.frame-1 || st.jumps != s.jumpsOf(s.view, e):
		st.on = false
	case st.carrier != carrier:
		s.startFade(&st.fade, s.view, e, s.before, s.blends)
	}
	s.drawFade(&st.fade, e)
}
