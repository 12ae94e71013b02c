package interpolate

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// carried is what drawing knows of the components that ecs.Carry places.
type carried struct {
	frame uint64 // counts them
	of    []placed
}

// placed is a component that ecs.Carry places.
type placed struct {
	*ecs.Carried
	bit   uint64             // in masks
	by    uint64             // the components that name carriers
	led   []components.NetID // who was carried in the last frame, or leaves the place where it was
	leads []components.NetID // and in this one
}

func newCarried(p *ecs.Protocol) carried {
	c := carried{frame: 1} // 0 is never
	for _, of := range ecs.CarriedIn(p) {
		x := placed{Carried: of, bit: 1 << of.Component.Replicated()}
		for i := range of.By {
			x.by |= 1 << of.By[i].A.Replicated()
		}
		c.of = append(c.of, x)
	}
	return c
}

// stood is how a frame drew a component that ecs.Carry places. Where another carrier gives
// another place than the last frame showed, the difference is kept, and falls in a straight
// line over blendTicks.
type stood struct {
	frame   uint64           // the newest that drew it; 0: none
	carrier components.NetID // 0: nobody
	jumps   uint8            // of the entity
	place   pose
	on      bool // there is a difference
	since   time.Time
	offset  []float64
}

// stoodIn is what is known of the i-th component that is carried.
func (d *drawer) stoodIn(f *figure, i int) *stood {
	if f.stood == nil {
		f.stood = make([]stood, len(d.carried.of))
	}
	return &f.stood[i]
}

// stand notes where an entity stood that is about to get other components, among them one
// that names its carrier.
func (d *drawer) stand(f *figure, mask uint64) {
	if f.entity.IsZero() {
		return
	}
	old := d.view.Netcode().Mask(f.entity)
	for i := range d.carried.of {
		if c := &d.carried.of[i]; mask&c.by != 0 && old&c.by == 0 && old&c.bit != 0 {
			d.note(d.stoodIn(f, i), c, f.entity, 0, d.carried.frame-1)
		}
	}
}

// note keeps what a frame shows of an entity.
func (d *drawer) note(s *stood, c *placed, e ecs.Entity, carrier components.NetID, frame uint64) {
	s.frame, s.carrier, s.jumps = frame, carrier, d.jumpsOf(d.view, e)
	s.place = s.place[:0]
	s.place.keep(d.view.Netcode().Pointer(e, c.Component), c.Component)
}

// leaving reports whether a component goes over from where a carrier had it to where it is told
// to be.
func (d *drawer) leaving(f *figure, comp *ecs.Component) bool {
	for i := range f.stood {
		if st := &f.stood[i]; st.on && st.carrier == 0 && d.carried.of[i].Component == comp {
			return true
		}
	}
	return false
}

// carrying puts what is carried where its carrier is drawn.
type carrying struct{ *System }

// draw places all that is carried, carriers first.
func (s carrying) draw() {
	for i := range s.carried.of {
		c := &s.carried.of[i]
		for t := range s.view.Netcode().Tables {
			s.table(i, t)
		}
		for t := range s.view.Netcode().Simulated {
			if t.NetIDs == nil { // predicted spawns
				s.table(i, t)
			}
		}
		for _, id := range c.led { // also those that no longer say that somebody carries them
			if e, there := s.view.ByNetID(id); there && s.view.Netcode().Mask(e)&c.bit != 0 {
				s.land(i, e, nil)
			}
		}
		c.led, c.leads = c.leads, c.led[:0]
	}
}

func (s carrying) table(i int, t ecs.Table) {
	c := &s.carried.of[i]
	if t.Mask&c.bit == 0 || t.Mask&c.by == 0 {
		return
	}
	var links [ecs.MaxCarried]ecs.Link
	for _, e := range t.Entities {
		n := c.Chain(s.view, e, false, &links)
		if n == 0 {
			s.land(i, e, nil)
			continue
		}
		s.land(i, links[n-1].Carrier, nil)
		for ; n > 0; n-- {
			s.land(i, links[n-1].Entity, &links[n-1])
		}
	}
}

// land draws an entity where a link has it, nil for nobody carries it; once a frame.
func (s carrying) land(i int, e ecs.Entity, l *ecs.Link) {
	c := &s.carried.of[i]
	f, simulated := s.way.find(uint32(s.view.NetID(e)))
	known := f != nil && f.entity == e
	if known && s.stoodIn(f, i).frame == s.carried.frame {
		return
	}
	carrier := components.NetID(0)
	if l != nil {
		carrier = l.ID
		c.Place(s.view, l)
	}
	if !known {
		return // a predicted spawn, or drawn in a way of the game's own
	}
	st := s.stoodIn(f, i)
	if _, damps := s.way.(*damped); damps && !simulated && l == nil && st.carrier != 0 {
		source, _ := s.world.ByNetID(s.view.NetID(e))
		s.copy(e, source, c.bit) // what leads there is the difference alone
	}
	if c.Component.Mode&ecs.Interpolated != 0 {
		s.goOver(st, c, e, carrier)
	}
	s.note(st, c, e, carrier, s.carried.frame)
	if carrier != 0 || st.on {
		c.leads = append(c.leads, s.view.NetID(e))
	}
}

// goOver moves what was just drawn of an entity toward where it was drawn before its carrier
// was another.
func (s carrying) goOver(st *stood, c *placed, e ecs.Entity, carrier components.NetID) {
	p := s.view.Netcode().Pointer(e, c.Component)
	switch {
	case st.frame != s.carried.frame-1 || st.jumps != s.jumpsOf(s.view, e):
		st.on = false
	case st.carrier != carrier:
		st.offset = reuse.Slice(st.offset, c.Component.Schema.Offsets())
		c.Component.Schema.Offset(st.offset, p, unsafe.Pointer(&st.place[0]))
		st.on, st.since = true, s.before
	}
	if !st.on {
		return
	}
	over := blendTicks * s.world.StepDuration()
	left := 1 - s.now().Sub(st.since).Seconds()/over.Seconds()
	if st.on = left > 0; st.on {
		c.Component.Schema.Shift(p, st.offset, left)
	}
}
