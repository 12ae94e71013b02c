package lagcomp

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// View is a world as one player saw it. It is for looking only, good until the next
// tick is recorded, and panics when it is used later than that. It may be taken and
// used in the middle of a system, inside walks too.
type View struct {
	w      *ecs.World
	seen   *seen // nil: everything is as the world has it
	serial uint64
	client uint32
	clamp  Clamp
	claim  Claim
}

// seen is what a view shows where that is not the present.
type seen struct {
	c     *Compensator
	span  span
	older ecs.Past
	newer ecs.Past     // where there is one
	part  float64      // of the way from older to newer; 0: no newer one is of interest
	past  ecs.Past     // of own entities, when then
	then  bool         // own entities are in the past, not in the world
	own   []ecs.Entity // in the order of tables
	gone  []ecs.Entity // own ones that have been destroyed
}

// Of is the world as it stands, as a view: what a client runs the same queries
// against, there the world that it draws.
func Of(w *ecs.World) View { return View{w: w, clamp: Unclaimed} }

// As is [Compensator.As] of the compensator of a world, a resource of it. Where there is
// none it is the world as it stands: on clients, on servers without lag compensation, and
// under models in which everybody is shown in the present.
func As(w *ecs.World, client uint32, claim Claim) View {
	if c := ecs.Resource[Compensator](w); c != nil {
		return c.As(client, claim)
	}
	v := Of(w)
	v.client, v.claim = client, claim
	return v
}

// As is the world as a client saw it when it made a claim that came with the input
// that the server simulates, or is about to. The player's own entities are where the
// world has them now. What is not within bounds is clamped and counted, and nothing
// that a claim holds is an error. A claim that says nothing, or one before the first
// state was recorded, gives the server's present.
//
// Give the claims of a client in the order in which it made them.
func (c *Compensator) As(client uint32, claim Claim) View {
	v := View{w: c.w, client: client, claim: claim, clamp: Unclaimed}
	p := c.player(client)
	p.stats.Views++
	switch {
	case !claim.Made():
		p.stats.count(Unclaimed)
		return v
	case c.config.Off || c.newest == 0:
		return v
	}
	span, clamp := c.grant(p, claim, c.w.Tick())
	p.stats.count(clamp)
	v.seen, v.serial, v.clamp = c.look(client, span), c.serial, clamp
	return v
}

// AsAfter is [Compensator.As] for a claim that came by a message of its own: the
// player's own entities are where they were when the server had consumed this input,
// the newest one that the client had predicted when it made the claim. They are where
// the world has them now when it has not been consumed yet, and where they were
// MaxRewind ago when that is longer ago.
func (c *Compensator) AsAfter(client uint32, claim Claim, input uint32) View {
	v := c.As(client, claim)
	p := c.player(client)
	if v.seen == nil || input >= p.input {
		return v
	}
	at := c.newest
	for tick := at; tick+c.rewind >= c.newest && tick != 0; tick-- {
		if !c.recorded(tick) {
			continue // the server does not wake for each
		}
		if at = tick; p.inputs[tick%uint32(len(p.inputs))] <= input {
			break
		}
	}
	v.seen.past, _ = c.history.At(at)
	v.seen.then = true
	v.seen.own = c.ownedThen(v.seen.past, client, false)
	return v
}

// look prepares what a client sees.
func (c *Compensator) look(client uint32, at span) *seen {
	if c.views == len(c.seen) {
		c.seen = append(c.seen, &seen{c: c})
	}
	s := c.seen[c.views]
	c.views++
	*s = seen{c: c, span: at}
	s.older, _ = c.history.At(at.from) // grant gives none that is not there
	if at.to != 0 {
		s.newer, _ = c.history.At(at.to)
		s.part = (at.at.ticks() - float64(at.from)) / float64(at.to-at.from)
	}
	s.own = c.ownedNow(client)
	s.gone = c.ownedThen(s.older, client, true)
	return s
}

// ownedNow are the entities of a client; like those of ownedThen they are good until
// the next tick is recorded.
func (c *Compensator) ownedNow(client uint32) []ecs.Entity {
	from := len(c.own)
	for t := range c.w.Netcode().Tables {
		c.addOwned(t, client, false)
	}
	return c.own[from:len(c.own):len(c.own)]
}

// ownedThen are those of another time, or those of them that are gone.
func (c *Compensator) ownedThen(then ecs.Past, client uint32, gone bool) []ecs.Entity {
	from := len(c.own)
	for t := range then.Tables {
		c.addOwned(t, client, gone)
	}
	return c.own[from:len(c.own):len(c.own)]
}

func (c *Compensator) addOwned(t ecs.Table, client uint32, gone bool) {
	col := t.Column(c.owner)
	if col == nil {
		return
	}
	for i, o := range unsafe.Slice((*components.Owner)(col), len(t.Entities)) {
		if e := t.Entities[i]; o.Client == client && !(gone && c.w.Alive(e)) {
			c.own = append(c.own, e)
		}
	}
}

// check panics when the view is no longer good, and returns what it shows.
func (v View) check() *seen {
	if v.seen != nil && v.serial != v.seen.c.serial {
		panic("lagcomp: this View is of another tick: ask for it again, and do not keep it from tick to tick")
	}
	return v.seen
}

// World is the world that the view is of.
func (v View) World() *ecs.World { return v.w }

// Client is the client whose view it is; 0 for one made by [Of].
func (v View) Client() uint32 { return v.client }

// Tick is the tick of the server that the view shows for entities of others, with its
// fraction.
func (v View) Tick() float64 {
	if s := v.check(); s != nil {
		return s.span.at.ticks()
	}
	return float64(v.w.Tick())
}

// States are the ticks of the states between which entities of others are drawn. to is
// 0 where there was no later one; both are 0 for the server's present.
func (v View) States() (from, to uint32) {
	if s := v.check(); s != nil {
		return s.span.from, s.span.to
	}
	return 0, 0
}

// Clamp says whether the view shows what the client claimed, and if not why.
func (v View) Clamp() Clamp { return v.clamp }

// NetID is the NetID of an entity that the view shows, 0 when it shows it not.
func (v View) NetID(e ecs.Entity) components.NetID {
	s := v.check()
	switch {
	case s == nil:
		return v.w.NetID(e)
	case !s.mine(e):
		if s.lost(e) {
			return 0
		}
		return s.older.NetID(e)
	case s.then:
		return s.past.NetID(e)
	}
	return v.w.NetID(e)
}

// ByNetID finds an entity that the view shows, as a client names it. It may read all
// NetIDs.
func (v View) ByNetID(id components.NetID) (ecs.Entity, bool) {
	s := v.check()
	e, ok := v.w.ByNetID(id)
	if s == nil || ok && !s.then && s.mine(e) {
		return e, ok
	}
	if s.then {
		if e, ok = s.past.ByNetID(id); ok && s.mine(e) {
			return e, true
		}
	}
	if e, ok = s.older.ByNetID(id); ok && !s.mine(e) && !s.lost(e) {
		return e, true
	}
	return ecs.Entity{}, false
}

// mine reports whether an entity is one of the player's own.
func (s *seen) mine(e ecs.Entity) bool { return slices.Contains(s.own, e) }

// lost reports whether an entity was one of the player's own and is gone.
func (s *seen) lost(e ecs.Entity) bool { return slices.Contains(s.gone, e) }
