package lagcomp

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// View is a world as one player saw it. It is read-only and valid until the next tick is recorded; later use panics.
// Systems may create and use views, also during an iteration.
type View struct {
	w      *ecs.World
	seen   *seen // nil: the view is the present
	serial uint64
	client uint32
	clamp  Clamp
	claim  Claim
}

// seen is the content of a view of the past.
type seen struct {
	c     *Compensator
	span  span
	older ecs.Past
	newer ecs.Past     // valid if span.to is not 0
	part  float64      // position between older and newer, from 0; 0 means that newer is not used
	past  ecs.Past     // state of the own entities, if then is set
	then  bool         // own entities are read from past, not from the world
	own   []ecs.Entity // in the order of tables
	gone  []ecs.Entity // own entities that no longer exist
}

// Of returns the present of a world as a view. Clients use it to run the same queries against the world that they
// draw.
func Of(w *ecs.World) View { return View{w: w, clamp: Unclaimed} }

// As calls [Compensator.As] on the compensator of a world, which is a resource. Without one it returns the present:
// on clients, on servers without lag compensation, and under models that show all players in the present.
func As(w *ecs.World, client uint32, claim Claim) View {
	if c := ecs.Resource[Compensator](w); c != nil {
		return c.As(client, claim)
	}
	v := Of(w)
	v.client, v.claim = client, claim
	return v
}

// As returns the world as a client saw it when it made the claim. The claim must come with the input that the server
// simulates now or next. The player's own entities are where the world has them now. Claims outside the limits are
// clamped and counted; no claim is an error. The view is the present if the claim is zero, or if no state has been
// recorded.
//
// Pass the claims of a client in the order in which the client made them.
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
	v.seen, v.serial, v.clamp = c.view(client, span), c.serial, clamp
	return v
}

// AsAfter is [Compensator.As] for a claim that came in a separate message. input is the newest input that the client
// had predicted when it made the claim. The player's own entities are where they were when the server had consumed
// this input. If the server has not consumed it yet, they are where the world has them now. If that is longer ago
// than MaxRewind, they are where they were MaxRewind ago.
func (c *Compensator) AsAfter(client uint32, claim Claim, input uint32) View {
	v := c.As(client, claim)
	p := c.player(client)
	if v.seen == nil || input >= p.input {
		return v
	}
	at := c.newest
	for tick := at; tick+c.rewind >= c.newest && tick != 0; tick-- {
		if !c.recorded(tick) {
			continue // the server does not wake for every tick
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

// view prepares the view of a client.
func (c *Compensator) view(client uint32, at span) *seen {
	if c.views == len(c.seen) {
		c.seen = append(c.seen, &seen{c: c})
	}
	s := c.seen[c.views]
	c.views++
	*s = seen{c: c, span: at}
	s.older, _ = c.history.At(at.from) // grant returns stored ticks only
	if at.to != 0 {
		s.newer, _ = c.history.At(at.to)
		s.part = (at.at.ticks() - float64(at.from)) / float64(at.to-at.from)
	}
	s.own = c.ownedNow(client)
	s.gone = c.ownedThen(s.older, client, true)
	return s
}

// ownedNow returns the entities of a client. Like the result of ownedThen, it is valid until the next Record.
func (c *Compensator) ownedNow(client uint32) []ecs.Entity {
	from := len(c.own)
	for t := range c.w.Netcode().Tables {
		c.addOwned(t, client, false)
	}
	return c.own[from:len(c.own):len(c.own)]
}

// ownedThen returns the entities of a client in a past state. If gone is set, it returns only those that no longer
// exist.
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

// check returns the content of the view. It panics if the view is no longer valid.
func (v View) check() *seen {
	if v.seen != nil && v.serial != v.seen.c.serial {
		panic("lagcomp: the View is of an earlier tick: create a new one in each tick")
	}
	return v.seen
}

// World returns the world of the view.
func (v View) World() *ecs.World { return v.w }

// Client returns the client of the view, 0 for a view made by [Of].
func (v View) Client() uint32 { return v.client }

// Tick returns the server tick, with its fraction, at which the view shows entities of other players.
func (v View) Tick() float64 {
	if s := v.check(); s != nil {
		return s.span.at.ticks()
	}
	return float64(v.w.Tick())
}

// States returns the ticks of the two states between which entities of other players are drawn. to is 0 if there was
// no later state. Both are 0 for the present.
func (v View) States() (from, to uint32) {
	if s := v.check(); s != nil {
		return s.span.from, s.span.to
	}
	return 0, 0
}

// Clamp says whether the view shows the claimed moment, and if not, why.
func (v View) Clamp() Clamp { return v.clamp }

// NetID returns the NetID of an entity, 0 if the view does not show it.
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

// ByNetID returns the entity with a NetID, if the view shows it. In the worst case it reads all NetIDs.
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

// mine reports whether the player owns an entity.
func (s *seen) mine(e ecs.Entity) bool { return slices.Contains(s.own, e) }

// lost reports whether the player owned an entity that no longer exists.
func (s *seen) lost(e ecs.Entity) bool { return slices.Contains(s.gone, e) }
