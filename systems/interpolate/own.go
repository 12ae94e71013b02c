package interpolate

import (
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Replace makes the view be drawn by draw instead of s. draw finds the entities in [System.Entities]. Smoothing,
// Damping and [System.Drawing] do not apply to such a view.
func (s *System) Replace(draw func(*ecs.World)) { s.renderer = &own{s, draw} }

// own draws with a function of the game.
type own struct {
	*System
	run func(*ecs.World)
}

func (o *own) draw(share float64) progress {
	o.run(o.world)
	switch {
	case o.coming != nil:
		o.head = float64(o.coming()) + share
	case o.clock.Running():
		o.head = o.sight.startFrame(o.clock.Head())
		o.states.mirror.Retain(o.head, ^uint32(0))
	default:
		newest := o.states.mirror.Newest.Tick
		o.head, o.sight = float64(newest), sight{head: float64(newest), from: newest}
	}
	return o.clock.progress()
}

func (*own) find(uint32) (f *figure, simulated bool) { return nil, false }

// Entities returns the entities to draw: those that the client knows, and those of the view that no longer exist.
// Predicted spawns appear when the server confirms them.
func (s *System) Entities() iter.Seq[Entity] {
	if s.states != nil {
		return s.states.entities
	}
	return s.inWorld
}

func (s *states) entities(yield func(Entity) bool) {
	for _, r := range s.mirror.Entities.All() {
		there := !r.Entity.IsZero() && !s.world.Netcode().Suspended(r.Entity)
		e := Entity{NetID: components.NetID(r.ID), Source: r.Entity, Simulated: there && r.Removed.Tick == 0 && s.simulates(r.Entity), drawer: &s.drawer}
		if there || !r.Simulated {
			e.states, e.of = s, r
		}
		if !yield(e) {
			return
		}
	}
}

// inWorld yields the entities if the client simulates everything.
func (s *System) inWorld(yield func(Entity) bool) {
	var gone []components.NetID
	for t := range s.world.Netcode().Tables {
		for i, id := range t.NetIDs {
			if !yield(Entity{NetID: id, Source: t.Entities[i], Simulated: true, drawer: &s.drawer}) {
				return
			}
		}
	}
	for t := range s.view.Netcode().Tables {
		for _, id := range t.NetIDs {
			if _, there := s.world.ByNetID(id); !there {
				gone = append(gone, id)
			}
		}
	}
	for _, id := range gone {
		if !yield(Entity{NetID: id, drawer: &s.drawer}) {
			return
		}
	}
}

// Entity is an entity to draw in a game's own drawing system.
type Entity struct {
	NetID     components.NetID
	Source    ecs.Entity // in the client's world; zero if it is not there
	Simulated bool       // the client simulates it: draw it at its simulated state
	drawer    *drawer
	states    *states // nil: there are no states of the server
	of        *mirror.Replica
}

// At returns the state of the entity at a tick: the simulated state, whatever the tick, or the server's. It returns
// false before the entity appears and after it is gone; the caller then removes it from the view.
func (e Entity) At(tick float64) (m Moment, ok bool) {
	switch {
	case e.Simulated:
		return Moment{Mask: e.drawer.world.Netcode().Mask(e.Source), source: e.Source, drawer: e.drawer}, true
	case e.states == nil || e.of.Removed.Tick != 0 && (tick >= float64(e.of.Removed.Tick) || e.of.Simulated):
		return m, false
	}
	p, slot := e.states.around(e.of, tick), int(e.of.At.Slot)
	if p.from == nil || p.gone {
		return m, false
	}
	m = Moment{Mask: p.from.Masks[slot], drawer: e.drawer, record: p.from.Record(slot)}
	if p.to != nil && p.to.Masks[slot] == m.Mask {
		m.next = p.to.Record(slot)
		m.Share = (tick - float64(p.from.Tick)) / float64(p.to.Tick-p.from.Tick)
	}
	return m, true
}
