package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// Err is why the session ended for good, or nil while it goes on, and while the client reconnects. It wraps the errors of
// netsys: ErrSchema, ErrVersion, ErrServerFull, ErrTimeout, ErrElsewhere,
// ErrClosed; or netcode.ErrTokenExpired.
func (c *Client) Err() error { return c.link.err }

// Connected reports whether the server has let this client in.
func (c *Client) Connected() bool { return c.world != nil && c.link.err == nil && c.link.lost == nil }

// Lost is why there is no session while the client reconnects, nil otherwise: see ClientConfig.Reconnect. The world and the
// view stand still meanwhile; with the next session both are new, and ClientConfig.Loaded is called again.
func (c *Client) Lost() error { return c.link.lost }

// ID is the number the server gave this client, and the owner of its entities;
// 0 before it is connected.
func (c *Client) ID() uint32 { return c.link.id }

// World is the client's simulated world: what it simulates as predicted, which is its
// own entities unless a [Scope] says otherwise, all others as last confirmed. It is nil before the client is connected.
func (c *Client) World() *ecs.World { return c.world }

// View is what to draw: what the client simulates as predicted, all others interpolated. It
// is a world to read with [ecs.All]; writing to it changes no simulation. With
// Interpolate left out it is [Client.World]. It is nil before the client is
// connected.
func (c *Client) View() *ecs.World {
	if !c.stages.drawing {
		return c.world
	}
	return c.view
}

// Schedule is what the client runs, in stages.
func (c *Client) Schedule() *ecs.Schedule { return c.stages.schedule }

// Input is the sequence of the newest input gathered; the first is 1, or, for a
// player that was waited for, the one that follows the last that was consumed. Under
// rollback and lockstep inputs count with ticks, and it is the newest that the world
// stands after.
func (c *Client) Input() uint32 {
	if c.world == nil {
		return 0
	}
	return c.model.numbering.Applied()
}

// ServerTick is the newest server tick whose state has arrived.
func (c *Client) ServerTick() uint32 { return c.mirror.Newest.Tick }

// ConfirmedTick is the server tick of the newest own state that has arrived.
func (c *Client) ConfirmedTick() uint32 { return c.mirror.Own.Newest.Tick }

// DrawnTick is the server tick that the view shows for entities of others.
func (c *Client) DrawnTick() float64 {
	if !c.stages.drawing || c.interpolator == nil {
		return float64(c.mirror.Newest.Tick)
	}
	return c.interpolator.Head()
}

// Drawing tells how the newest frame drew an entity of [Client.View]: for tools that show
// what the netcode does. It is false for entities that the view does not have,
// and for spawns that are predicted and not yet confirmed.
func (c *Client) Drawing(e ecs.Entity) (d interpolate.Drawing, ok bool) {
	if c.world == nil || !c.stages.drawing {
		return d, false
	}
	return c.interpolator.Drawing(e)
}

// Claim returns which moment the view showed when the newest frame was drawn: what a player who acts now saw. Put it into
// a field of that type of the input. The server then looks at the world by it, with lagcomp.As:
//
//	in.Seen = client.Claim(in.Fire)
//
// acts says whether the rules look at the world for this input. Otherwise the claim says nothing, and a view by it shows
// the server's present. So a rule that looks in every tick, such as melee or touch, needs a claim in every input:
//
//	in.Seen = client.Claim(true)
//
// A claim that says nothing costs nothing. At 200 ms of round trip, jitter of 30 ms and 5 % loss, two shots per second add
// 2 bytes to each message, and a claim in every tick adds 15. A claim says nothing, either, before others are drawn, where
// everybody is shown in the present, and for ClientConfig.Partial: frames change nothing that is sent.
func (c *Client) Claim(acts bool) lagcomp.Claim {
	switch {
	case c.interpolator == nil:
		return lagcomp.Claim{}
	case !c.stages.drawing:
		c.interpolator.Shown(c.mirror.Newest.Tick)
	}
	return c.interpolator.Claim(acts && !c.world.Partial())
}

// Told visits the entities that the newest snapshot of c told of, each with a hash of what it said of them to everybody, and
// returns the number of the send: two clients that the same send told of an entity have the same hash, or one is wrong. An
// entity that has to wait, or is out of sight, is not visited; under Rollback and Lockstep none is.
func Told(c *Client, visit func(id uint32, sum uint64)) (send uint32) { return c.mirror.Told(visit) }

// Loaded returns the tick of the state with which this client joined, and whether
// all of that has arrived.
func (c *Client) Loaded() (tick uint32, ok bool) { return c.mirror.Loaded() }

// Own is the client's first own entity in w, one of [Client.World] and
// [Client.View].
func (c *Client) Own(w *ecs.World) (ecs.Entity, bool) {
	if w == nil {
		return ecs.Entity{}, false
	}
	for e, r := range ecs.All[struct{ Owner components.Owner }](w) {
		if r.Owner.Client == c.link.id {
			return e, true
		}
	}
	return ecs.Entity{}, false
}

// Session is the session with the server, before the connection and after it too: the
// figures of the link, and the channels on which to send.
func (c *Client) Session() netsys.Session { return c.link.endpoint.Session() }

// Outcomes is the log of outcomes that this client foresees, for its counters; nil
// where none are registered, or the policies say that they are told at once.
func (c *Client) Outcomes() *outcome.Log { return c.followed.outcomes }

// Policies are the netcode model, as the server told it; those of policy.LocalSync
// before the client is connected.
func (c *Client) Policies() policy.Policies { return c.policies }

// MayWrite reports whether this client may write the ecs.ClientOwned components of an
// entity of its [Client.World]: it owns the entity, or the server granted it. What it
// writes there, by ecs.Get outside Simulate, travels to the server after each tick, the
// latest value of each component, until the server has it; others see it in snapshots.
// Values of the server do not replace what this client writes while it has the authority;
// a server that is to write takes it back first. See [Grant].
func (c *Client) MayWrite(e ecs.Entity) bool { return c.owned.MayWrite(e) }

// Confirmed is a component of a client's own entity as the server last told it, as of
// [Client.ConfirmedTick]: a round trip and the input buffer behind what the client
// predicts. Draw it beside the prediction to see what the server sees. It is false
// where the server has told nothing of it: for entities that are not the client's own,
// for components that are not predicted, and under models that send no own state, or
// send it only while a correction is open.
func Confirmed[T any](c *Client, e ecs.Entity) (v T, ok bool) {
	if c.world == nil {
		return v, false
	}
	comp, id := ecs.ComponentOf[T](c.protocol), uint32(c.world.NetID(e))
	if comp == nil || id == 0 {
		return v, false
	}
	c.mirror.Own.Each(c.mirror.Own.Newest.Send, func(own mirror.OwnValue) {
		if own.ID == id && own.Component == comp {
			v, ok = *(*T)(own.Value), true
		}
	})
	return v, ok
}

// ConfirmedInput is the sequence of the input after which the server's newest own state
// stands, that of [Confirmed]: what the client predicted after that input is what to hold
// against it. It is 0 before there is one, and under models that send no own state.
func (c *Client) ConfirmedInput() uint32 { return c.mirror.Own.Newest.Input }

// Between is a component of an entity of [Client.View] in the two confirmed states that
// the newest frame drew it between, those of Drawing.From and Drawing.To: what stands in
// the view lies on the way from the one to the other. Where nothing later was there to is
// from. It is false for what the client simulates, for what it has not drawn between
// states, and for components that it lacked in one of them.
func Between[T any](c *Client, e ecs.Entity) (from, to T, ok bool) {
	if c.world == nil {
		return from, to, false
	}
	ok = c.interpolator.Pair(e, ecs.ComponentOf[T](c.protocol), unsafe.Pointer(&from), unsafe.Pointer(&to))
	return from, to, ok
}

// Presence is what a client knows of the whereabouts of an entity. That it is not in
// the world can mean different things.
type Presence = mirror.Presence

const (
	// NotLoaded: this client was never told of it, or long ago, or has not joined
	// yet; or it left its place, and where it is now has not been told.
	NotLoaded = mirror.NotLoaded
	// Present: the newest snapshot told of it.
	Present = mirror.Present
	// Stale: it is in the world as it was in an earlier snapshot. The newest one did
	// not speak of it, because of the byte budget or because a packet was lost.
	Stale = mirror.Stale
	// OutOfInterest: the server no longer shows it to this client.
	OutOfInterest = mirror.OutOfInterest
	// Destroyed: the server despawned it.
	Destroyed = mirror.Destroyed
)

// PresenceChange is what ClientConfig.OnPresence is told: that an entity comes into the world of a client, or leaves it.
type PresenceChange = mirror.PresenceChange

// Reason is why an entity comes into the world of a client, or leaves it; Enters says which.
//
// Spawned and Despawned are certain. What happened between two snapshots that arrived counts as one: what was spawned,
// or was despawned, and besides came from where the client does not see, or went there, is CameIntoSight or
// WentOutOfSight. Entities that move within sight, or get other components there, neither come nor go.
type Reason = mirror.Reason

const (
	// Joined: it was there when the client joined, or, of its own entities, came before that was complete.
	Joined = mirror.Joined
	// Spawned: the server spawned it in sight of this client.
	Spawned = mirror.Spawned
	// CameIntoSight: it was there before, and the client may know of it from now on.
	CameIntoSight = mirror.CameIntoSight
	// Despawned: the server despawned it in sight of this client. What becomes of an entity out of sight, a
	// client is not told.
	Despawned = mirror.Despawned
	// WentOutOfSight: it is still there, and the client may know no more of it. Where a byte budget lets a
	// client wait long for news of an entity, it may go out of sight and come back for that.
	WentOutOfSight = mirror.WentOutOfSight
	// LeftBehind: this client goes on in another room, whose entities are others, also where they have the same number.
	LeftBehind = mirror.LeftBehind
)

// Presence says what this client knows of the whereabouts of an entity. Of those
// that are gone it remembers the newest 4,096.
func (c *Client) Presence(id components.NetID) Presence {
	if c.world == nil {
		return NotLoaded
	}
	return c.model.known.Presence(id)
}

// StateTick returns the server tick of the newest state of an entity that has
// arrived, for entities that are [Present] or [Stale].
func (c *Client) StateTick(id components.NetID) (tick uint32, ok bool) {
	if c.world == nil {
		return 0, false
	}
	return c.model.known.StateTick(id)
}

// toldEntities are entities as snapshots tell of them.
type toldEntities struct{ c *Client }

// Presence goes by the newest snapshot that told of an entity.
func (k toldEntities) Presence(id components.NetID) Presence { return k.c.mirror.Presence(uint32(id)) }

// StateTick is the tick of that snapshot.
func (k toldEntities) StateTick(id components.NetID) (tick uint32, ok bool) {
	return k.c.mirror.StateTick(uint32(id))
}

// SetScope chooses from now on whether the client simulates an entity of its
// [Client.World], in place of ClientConfig.Scope, until it leaves the world. It takes
// effect before the next tick. What is drawn goes over from the one to the other within
// 12 ticks; what is simulated jumps. It reports false, and does nothing, for an entity
// that the server has not told of. It panics for a number that is no Scope.
func (c *Client) SetScope(e ecs.Entity, s Scope) bool {
	if s > ScopeInterpolated {
		panic(fmt.Sprintf("systems: SetScope(%d): use one of the constants", s))
	}
	if c.predictor == nil {
		return false
	}
	r := c.mirror.Entities.Of(uint32(c.world.NetID(e)))
	if r == nil || r.Entity != e || r.Removed.Tick != 0 {
		return false
	}
	c.predictor.Scope.Choose(r, s)
	c.mirror.Refresh(r)
	return true
}
