package interpolate

import (
	"github.com/tactusgo/tactus/systems/policy"
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// System is the system Interpolate of a client: it writes the view. Use it only from the goroutine of the client.
type System struct {
	drawer
	renderer renderer
	states   *states        // nil: everything is simulated
	partial  func() float64 // simulates a part of the next tick and returns the part
	clock    Clock
	head     float64 // the tick that the view shows
	numbers  uint32  // ticks from one number of a send to the next
	sight    sight
	claim    lagcomp.Claim // the last claim
	coming   func() uint32 // returns the tick that is simulated next; nil: there are states
	stalls   uint64        // frames without a state to move toward, for longer than entities continue
	ahead    uint64        // frames in which an entity continued beyond its newest state
}

// Parts holds the parts of a client that drawing uses.
type Parts struct {
	Protocol    *ecs.Protocol
	World, View *ecs.World // the client's world, and the view
	Now         func() time.Time
	Partial     func() float64 // simulates a part of the next tick in World and returns the part
	SendEvery   uint32         // ticks from one number of a send to the next
	Smoothing   Smoothing
}

// States holds what drawing from the server's states uses.
type States struct {
	Mirror      *mirror.Mirror
	CoSimulated func() bool // reports whether the client has co-simulated entities
	Damped      bool        // draw other clients' entities toward the newest state, not between states
	Damping     policy.Damping
}

// renderer draws entities into the view.
type renderer interface {
	// draw draws all entities. share is the simulated part of the next tick.
	draw(share float64) progress
	// find returns the figure of an entity of the view, or nil, and whether it was drawn as simulated.
	find(id uint32) (f *figure, simulated bool)
}

// progress says what a frame moved toward.
type progress uint8

const (
	moves     progress = iota // later states, or it simulated
	continues                 // some entity had none, and continued as it moved
	stalls                    // some entity had none for too long
)

// New returns Interpolate for a client that receives states.
func New(parts Parts, from States) *System {
	s := newSystem(parts)
	s.setEvery(parts.SendEvery)
	rate := float64(s.world.TickRate())
	x := &states{System: s, mirror: from.Mirror, step: 1 / rate, oldest: math.MaxUint32, coSimulated: from.CoSimulated}
	for _, comp := range s.comps {
		s.clock.AllowBeyond(comp.Beyond.Seconds() * rate)
	}
	from.Mirror.Entities.Attach(&x.figures)
	s.states = x
	if s.renderer = x; from.Damped {
		x.damping = newDamping(from.Damping)
	}
	return s
}

func newSystem(p Parts) *System {
	return &System{
		drawer:  newDrawer(p.World, p.View, p.Protocol, p.Smoothing.withDefaults(), p.Now),
		partial: p.Partial,
		clock:   NewClock(p.Now(), p.World.TickRate(), p.SendEvery),
		numbers: p.SendEvery,
	}
}

// Run draws a frame.
func (s *System) Run(*ecs.World) {
	defer s.world.Netcode().EndPartial() // also if the game's code panics
	switch s.renderer.draw(s.partial()) {
	case stalls:
		s.stalls++
	case continues:
		s.ahead++
	}
	if len(s.carried.components) > 0 {
		carrying{s}.draw()
	}
}

// Frame starts a frame at now. loss is the share of lost datagrams.
func (s *System) Frame(now time.Time, loss float64) {
	s.drawer.startFrame(now)
	s.clock.SetLoss(loss)
}

// Heard records the arrival of a snapshot.
func (s *System) Heard(at time.Time, x mirror.Snapshot) {
	if x.Tick >= s.clock.newest {
		s.setEvery(x.Every)
	}
	s.clock.Heard(at, x.Tick)
}

// setEvery sets the number of ticks from the newest snapshot to the next.
func (s *System) setEvery(ticks uint32) {
	s.clock.SetEvery(ticks)
	s.recordReader.beyond = s.clock.continued() * s.clock.step
}

// Every returns the number of ticks from the newest snapshot to the next.
func (s *System) Every() uint32 { return uint32(s.clock.every) }

// Still replaces Run if nothing interpolates: the view changes only when a snapshot arrives.
func (s *System) Still(newest uint32) {
	if float64(newest) <= s.head {
		s.stalls++
	}
	s.head = float64(newest)
}

// Shown sets the drawn tick for claims if nothing interpolates.
func (s *System) Shown(tick uint32) { s.sight = sight{head: float64(tick), from: tick} }

// Stall counts a frame without a state to move toward.
func (s *System) Stall() { s.stalls++ }

// Stalls returns the number of frames without a state to move toward, in which some entity had continued for as long as it may.
func (s *System) Stalls() uint64 { return s.stalls }

// Extrapolated returns the number of frames in which some entity continued beyond its newest state, without a stall.
func (s *System) Extrapolated() uint64 { return s.ahead }

// Head returns the tick that the view shows of entities that are not simulated.
func (s *System) Head() float64 { return s.head }

// Clock returns the clock by which other clients' entities are drawn.
func (s *System) Clock() *Clock { return &s.clock }

// Shows reports whether an entity is in the view.
func (s *System) Shows(r *mirror.Replica) bool {
	_, ok := s.view.ByNetID(components.NetID(r.ID))
	return ok
}

// Hide removes an entity from the view until it is drawn again.
func (s *System) Hide(r *mirror.Replica) { s.states.hide(r.ID, s.states.figures.Of(r)) }

// Reshaped is called before an entity has another state. The drawn entity blends if switched is set: the client starts
// or stops simulating it.
func (s *System) Reshaped(r *mirror.Replica, switched bool) {
	switch x := s.states; {
	case switched:
		s.startBlend(x.figures.Of(r))
	case x.damping != nil && !r.Entity.IsZero() && !x.simulates(r.Entity):
		x.changes(r)
	}
}

// Begin stores the drawn poses of simulated entities before ticks are simulated again.
func (s *System) Begin() {
	s.kept = s.kept[:0]
	if s.smoothing.Off {
		return
	}
	for _, r := range s.states.mirror.Entities.All() {
		if !r.Entity.IsZero() && s.states.simulates(r.Entity) {
			s.keepSimulated(r.ID, s.states.figures.Of(r), r.Entity)
		}
	}
}

// End turns the changes since Begin into visual errors.
func (s *System) End() { s.takeErrors() }

// Drawing describes how the newest frame drew an entity of the view. It returns false for an entity that is not in
// the view, and for an unconfirmed spawn.
func (s *System) Drawing(e ecs.Entity) (d Drawing, ok bool) {
	f, simulated := s.renderer.find(uint32(s.view.NetID(e)))
	if f == nil || f.entity != e || e.IsZero() {
		return d, false
	}
	if d.Simulated = simulated; !simulated {
		d.From, d.To = f.between[0], f.between[1]
	}
	d.Error = s.errorOf(f)
	return d, true
}

// Pair writes a component in the two states that the newest frame drew an entity of the view between. If there was
// no later state, it writes the first one twice. It reports whether the states are available.
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
