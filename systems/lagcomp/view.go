package lagcomp

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// View is a world as one player saw it. It is for looking only, good until the next
// tick is recorded, and panics when it is used later than that. It may be taken and used in the
// middle of a system, inside walks too.
type View struct {
	c      *Compensator // nil for one made by Of
	w      *ecs.World
	client uint32
	claim  Claim
	clamp  Clamp
	live   bool // everything is as the world has it
	span   span
	older  ecs.Past
	newer  ecs.Past     // where there is one
	part   float64      // of the way from older to newer; 0: no newer one is of interest
	past   ecs.Past     // of own entities, when then
	then   bool         // own entities are in the past, not in the world
	own    []ecs.Entity // in the order of tables
	gone   []ecs.Entity // own ones that have been destroyed
}

// Of is the world as it stands, as a view: what a client runs the same queries
// against, there the world that it draws.
func Of(w *ecs.World) View { return View{w: w, live: true, clamp: Unclaimed} }

// As is the world as a client saw it when it made a claim that came with the input
// that the server simulates, or is about to. The player's own entities are where the
// world has them now. What is not within bounds is clamped and counted, and nothing
// that a claim holds is an error. A claim that says nothing, or one before the first
// state was recorded, gives the server's present.
//
// Give the claims of a client in the order in which it made them.
func (c *Compensator) As(client uint32, claim Claim) View {
	return c.view(client, claim)
}

// AsAfter is [Compensator.As] for a claim that came by a message of its own: the
// player's own entities are where they were when the server had consumed this input,
// the newest one that the client had predicted when it made the claim. They are where
// the world has them now when it has not been consumed yet, and where they were
// MaxRewind ago when that is longer ago.
func (c *Compensator) AsAfter(client uint32, claim Claim, input uint32) View {
	v := c.view(client, claim)
	if v.live {
		return v
	}
	p := c.player(client)
	if input >= p.input {
		return v
	}
	at := uint32(0)
	for tick := c.newest; c.newest-tick <= c.rewind && c.recorded(tick); tick-- {
		if at = tick; p.inputs[tick%uint32(len(p.inputs))] <= input {
			break
		}
	}
	v.past, _ = c.history.At(at) // recorded, or the view were live
	v.then = true
	v.own = c.ownedIn(v.past.Tables, client, nil)
	return v
}

func (c *Compensator) view(client uint32, claim Claim) View {
	v := View{c: c, w: c.w, client: client, claim: claim, live: true, clamp: Unclaimed}
	p := c.player(client)
	p.stats.Views++
	if c.config.Off || !c.any || !claim.Made() {
		if !claim.Made() {
			p.stats.count(Unclaimed)
		}
		return v
	}
	v.span, v.clamp = c.grant(p, claim, max(c.newest, c.w.Tick()))
	p.stats.count(v.clamp)
	v.live = false
	v.older, _ = c.history.At(v.span.from) // grant gives none that is not there
	if v.span.to != 0 {
		v.newer, _ = c.history.At(v.span.to)
		v.part = (v.span.at.ticks() - float64(v.span.from)) / float64(v.span.to-v.span.from)
	}
	v.own = c.ownedIn(c.w.Tables, client, nil)
	v.gone = c.ownedIn(v.older.Tables, client, func(e ecs.Entity) bool { return !c.w.Alive(e) })
	return v
}

// ownedIn are the entities of a client, those of a kind if that is given. They are
// good until the next tick is recorded.
func (c *Compensator) ownedIn(tables func(func(ecs.Table) bool), client uint32, of func(ecs.Entity) bool) []ecs.Entity {
	from := len(c.own)
	for t := range tables {
		col := t.Column(c.owner)
		if col == nil {
			continue
		}
		for i, o := range unsafe.Slice((*components.Owner)(col), len(t.Entities)) {
			if o.Client == client && (of == nil || of(t.Entities[i])) {
				c.own = append(c.own, t.Entities[i])
			}
		}
	}
	return c.own[from:len(c.own):len(c.own)]
}

// World is the world that the view is of.
func (v View) World() *ecs.World { return v.w }

// Client is the client whose view it is; 0 for one made by [Of].
func (v View) Client() uint32 { return v.client }

// Tick is the tick of the server that the view shows for entities of others, with its
// fraction.
func (v View) Tick() float64 {
	if v.live {
		return float64(v.w.Tick())
	}
	return v.span.at.ticks()
}

// States are the ticks of the states between which entities of others are drawn. to is
// 0 where there was no later one; both are 0 for the server's present.
func (v View) States() (from, to uint32) { return v.span.from, v.span.to }

// Clamp says whether the view shows what the client claimed, and if not why.
func (v View) Clamp() Clamp { return v.clamp }

// NetID is the NetID of an entity that the view shows, 0 when it shows it not.
func (v View) NetID(e ecs.Entity) components.NetID {
	switch {
	case v.live || !v.then && v.mine(e):
		return v.w.NetID(e)
	case v.mine(e):
		return v.past.NetID(e)
	case v.lost(e):
		return 0
	}
	return v.older.NetID(e)
}

// ByNetID finds an entity that the view shows, as a client names it. It may read all
// NetIDs.
func (v View) ByNetID(id components.NetID) (ecs.Entity, bool) {
	if e, ok := v.w.ByNetID(id); ok && (v.live || !v.then && v.mine(e)) {
		return e, true
	}
	if v.live {
		return ecs.Entity{}, false
	}
	if v.then {
		if e, ok := v.past.ByNetID(id); ok && v.mine(e) {
			return e, true
		}
	}
	if e, ok := v.older.ByNetID(id); ok && !v.mine(e) && !v.lost(e) {
		return e, true
	}
	return ecs.Entity{}, false
}

// mine reports whether an entity is one of the player's own.
func (v *View) mine(e ecs.Entity) bool { return slices.Contains(v.own, e) }

// lost reports whether an entity was one of the player's own and is gone.
func (v *View) lost(e ecs.Entity) bool { return slices.Contains(v.gone, e) }
