package interpolate

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// System is the system Interpolate of a client: it writes what is to be drawn into the view. It
// belongs to the goroutine of the client.
type System struct {
	drawer
	way     way
	states  *states        // nil: there are none, everything is simulated
	partial func() float64 // begins a partial tick, and returns how much of it that is
	clock   Clock
	head    float64 // the tick that the view shows
	every   uint32  // ticks a send
	sight   sight
	claim   lagcomp.Claim // made last
	coming  func() uint32 // the tick that is simulated next; nil: there are states
	stalls  uint64        // frames with nothing to draw toward
}

// Parts is what drawing needs of a client.
type Parts struct {
	Protocol    *ecs.Protocol
	World, View *ecs.World // what the client simulates and was told, and what it draws
	Now         func() time.Time
	Partial     func() float64 // begins a partial tick in World, and returns how much of it that is
	SendEvery   uint32         // ticks
	Smoothing   Smoothing
}

// States is what drawing by the states of the server needs.
type States struct {
	Mirror      *mirror.Mirror
	Written     func(ecs.Entity) uint64 // components of an entity that the client writes itself
	CoSimulated func() bool             // the client has simulated others
	Damped      bool                    // others are drawn toward the newest state, not between states
	Damping     Damping
}

// way is how entities come into the view.
type way interface {
	// draw draws all of them, where so much of a partial tick is simulated. It reports
	// whether there was nothing to draw toward.
	draw(share float64) (stalled bool)
	// find is what is kept of an entity of the view, nil for nothing, and whether it was
	// drawn as it is simulated.
	find(id uint32) (f *figure, simulated bool)
}

// New is Interpolate of a client that is told states.
func New(parts Parts, from States) *System {
	s := newSystem(parts)
	rate := float64(s.world.TickRate())
	x := &states{System: s, mirror: from.Mirror, step: 1 / rate, oldest: math.MaxUint32, written: from.Written, coSimulated: from.CoSimulated}
	for _, comp := range s.comps {
		x.beyond = max(x.beyond, comp.Beyond.Seconds()*rate)
	}
	s.clock.MayPass(x.beyond)
	from.Mirror.Entities.Attach(&x.figures)
	s.states = x
	if s.way = (between{x}); from.Damped {
		s.way = &damped{states: x, damping: from.Damping.filled()}
	}
	return s
}

func newSystem(p Parts) *System {
	return &System{
		drawer:  newDrawer(p.World, p.View, p.Protocol, p.Smoothing.filled(), p.Now),
		partial: p.Partial,
		clock:   NewClock(p.Now(), p.World.TickRate(), p.SendEvery),
		every:   p.SendEvery,
	}
}

// Run draws a frame.
func (s *System) Run(*ecs.World) {
	defer s.world.Netcode().EndPartial() // also when a rule panics
	if s.way.draw(s.partial()) {
		s.stalls++
	}
	if len(s.carried.of) > 0 {
		carrying{s}.draw()
	}
}

// Frame begins a frame at now, with a share of datagrams that are lost.
func (s *System) Frame(now time.Time, loss float64) {
	s.drawer.begin(now)
	s.clock.Lossy(loss)
}

// Still stands for Run where nothing interpolates: what is drawn moves only when a
// snapshot comes.
func (s *System) Still(newest uint32) {
	if float64(newest) <= s.head {
		s.stalls++
	}
	s.head = float64(newest)
}

// Shown says, for claims, that what is drawn is the state of a tick, where nothing interpolates.
func (s *System) Shown(tick uint32) { s.sight = sight{head: float64(tick), from: tick} }

// Stall counts a frame with nothing to draw toward.
func (s *System) Stall() { s.stalls++ }

// Stalls is how many frames had nothing to draw toward.
func (s *System) Stalls() uint64 { return s.stalls }

// Head is the tick that the view shows of what is not simulated.
func (s *System) Head() float64 { return s.head }

// Clock is by what others are drawn between states.
func (s *System) Clock() *Clock { return &s.clock }

// Shows reports whether an entity is in the view.
func (s *System) Shows(r *mirror.Replica) bool {
	_, ok := s.view.ByNetID(components.NetID(r.ID))
	return ok
}

// Reshaped is told before the client begins or ends to simulate an entity: what is drawn of it
// goes over to the other way.
func (s *System) Reshaped(r *mirror.Replica) { s.leave(s.states.figures.Of(r)) }

// Begin keeps what is drawn of those that this client simulates, before it simulates
// ticks again.
func (s *System) Begin() {
	s.kept.clear()
	if s.smoothing.Off {
		return
	}
	for _, r := range s.states.mirror.Entities.All() {
		if !r.Entity.IsZero() && s.states.simulates(r.Entity) {
			s.keepSimulated(r.ID, s.states.figures.Of(r), r.Entity)
		}
	}
}

// End makes what has changed since Begin the visual error.
func (s *System) End() { s.takeErrors() }

// Drawing tells how the newest frame drew an entity of the view. It is false for those that
// the view does not have, and for spawns that are not confirmed yet.
func (s *System) Drawing(e ecs.Entity) (d Drawing, ok bool) {
	f, simulated := s.way.find(uint32(s.view.NetID(e)))
	if f == nil || f.entity != e || e.IsZero() {
		return d, false
	}
	if d.Simulated = simulated; !simulated {
		d.From, d.To = f.between[0], f.between[1]
	}
	d.Error = s.errorOf(f)
	return d, true
}

// Pair writes what a component was in the two states that the newest frame drew an entity of the
// view between, in the first twice where nothing later was there. It reports whether there is that.
func (s *System) Pair(e ecs.Entity, comp *ecs.Component, from, to unsafe.Pointer) bool {
	d, drawn := s.Drawing(e)
	if !drawn || d.From == 0 || s.states == nil || comp == nil || comp.Replicated() < 0 || comp.Words == 0 {
		return false
	}
	if d.To == 0 {
		d.To = d.From
	}
	r := s.states.mirror.Entities.Of(uint32(s.view.NetID(e)))
	return s.states.readAt(from, r, d.From, comp) && s.states.readAt(to, r, d.To, comp)
}
