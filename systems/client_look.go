package systems

import (
	"fmt"
	"time"
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

// Err returns why the session ended for good, or nil while it continues or the client reconnects. It wraps an
// error of package netsys, which lists them, or netcode.ErrTokenExpired.
func (c *Client) Err() error { return c.link.err }

// Connected reports whether the server has admitted this client and the session continues.
func (c *Client) Connected() bool { return c.world != nil && c.link.err == nil && c.link.lost == nil }

// Lost returns why there is no session while the client reconnects, otherwise nil: see ClientConfig.Session.Reconnect. The
// world and the view stand still meanwhile. With the next session both are new, and ClientConfig.Loaded is called
// again.
func (c *Client) Lost() error { return c.link.lost }

// Silent returns for how long no datagram of the server has arrived, in steps of this client. A server sends one at least every 100
// ms, so a second of silence means that the server or the path is gone, long before ClientConfig.Session.Timeout ends the
// session. Until then the client plays on alone, and Lost returns nil. It returns 0 without a session.
func (c *Client) Silent() time.Duration {
	if !c.Connected() {
		return 0
	}
	return time.Duration(c.steps.silent) * c.world.StepDuration()
}

// ID returns the number that the server assigned to this client, which is the owner of its entities; 0 before it is
// connected.
func (c *Client) ID() uint32 { return c.link.id }

// World returns the client's simulated world. Entities that it simulates are as predicted: its own entities, unless
// a [Scope] selects others. All other entities are as last confirmed. World is nil before the client is connected.
func (c *Client) World() *ecs.World { return c.world }

// View returns the world to draw: simulated entities as predicted, all others interpolated. Read it with [ecs.All];
// writing to it changes no simulation. Without the system Interpolate it is [Client.World]. It is nil before the
// client is connected.
func (c *Client) View() *ecs.World {
	if !c.stages.drawing {
		return c.world
	}
	return c.view
}

// Schedule returns the client's schedule.
func (c *Client) Schedule() *ecs.Schedule { return c.stages.schedule }

// Input returns the number of the newest input that the client's world includes. While [ClientConfig.Gather] runs,
// Input returns the number of the input that Gather fills in. The first number is 1, or for a returning player the one
// after the last consumed input. Under ServerRewind, Rollback and Lockstep, the number of an input is the tick in which
// the input applies.
func (c *Client) Input() uint32 {
	switch {
	case c.world == nil:
		return 0
	case c.inputs.Gathering():
		return c.model.numbering.Gathering()
	}
	return c.model.numbering.Applied()
}

// Gathered returns the number of the newest input that the game has filled in, which may not apply yet. 0: none.
func (c *Client) Gathered() uint32 { return c.inputs.newest }

// Shows reports whether the newest frame shows the inputs of another player that the server used in a tick. Where this client
// does not simulate others, the drawn tick has reached it. Where it does, the frame shows a state that includes them, or under
// Rollback and Lockstep the tick with the inputs.
func (c *Client) Shows(player, tick uint32) bool {
	return c.world != nil && c.model.known.Shows(player, tick)
}

// ServerTick returns the newest server tick whose state has arrived.
func (c *Client) ServerTick() uint32 { return c.mirror.Newest.Tick }

// ConfirmedTick returns the server tick of the newest owner state that has arrived.
func (c *Client) ConfirmedTick() uint32 { return c.mirror.Own.Newest.Tick }

// DrawnTick returns the server tick at which the view shows other clients' entities.
func (c *Client) DrawnTick() float64 {
	if !c.stages.drawing || c.interpolator == nil {
		return float64(c.mirror.Newest.Tick)
	}
	return c.interpolator.Head()
}

// Drawing describes how the newest frame drew an entity of [Client.View], for tools that show the netcode. It
// returns false for an entity that is not in the view, and for an unconfirmed predicted spawn.
func (c *Client) Drawing(e ecs.Entity) (d interpolate.Drawing, ok bool) {
	if c.world == nil || !c.stages.drawing {
		return d, false
	}
	return c.interpolator.Drawing(e)
}

// Claim returns the moment that the view showed when the newest frame was drawn: what a player who acts now saw. Store it
// in a field of that type of the input. The server then evaluates the world at that moment, with lagcomp.As:
//
//	in.Seen = client.Claim(in.Fire)
//
// acts reports whether the rules use the claim of this input. Otherwise the claim is empty and selects
// the server's present. A rule that acts in every tick, such as melee or touch, needs a claim in every input:
//
//	in.Seen = client.Claim(true)
//
// An empty claim costs nothing. At a round trip of 200 ms, 30 ms of jitter and 5 % loss, two shots per second add
// 2 bytes to each message, and a claim in every tick adds 15. A claim is also empty before others are drawn, if
// all entities are shown at the present tick, and for ClientConfig.Prediction.Partial: frames change nothing that is sent.
func (c *Client) Claim(acts bool) lagcomp.Claim {
	switch {
	case c.interpolator == nil:
		return lagcomp.Claim{}
	case !c.stages.drawing:
		c.interpolator.Shown(c.mirror.Newest.Tick)
	}
	return c.interpolator.Claim(acts && !c.world.Partial())
}

// NewestEntities calls visit for each entity in the newest snapshot of c, with a hash of its public state, and
// returns the number of the send. Two correct clients that receive an entity in the same send have equal hashes.
// Entities that wait for budget or are out of sight are not visited; under Rollback and Lockstep none are.
func NewestEntities(c *Client, visit func(id uint32, sum uint64)) (send uint32) {
	return c.mirror.NewestEntities(visit)
}

// Loaded returns the tick of the state with which this client joined, and whether that state has completely
// arrived.
func (c *Client) Loaded() (tick uint32, ok bool) { return c.mirror.Loaded() }

// Own returns the client's first own entity in w, which is [Client.World] or [Client.View].
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

// Session returns the session with the server, also before the connection: its statistics, and the channels for
// sending.
func (c *Client) Session() netsys.Session { return c.link.endpoint.Session() }

// Outcomes returns the log of outcomes that this client predicts, for its counters. It is nil if none are
// registered, or if the model has no provisional outcomes.
func (c *Client) Outcomes() *outcome.Log { return c.followed.outcomes }

// Model returns the server's netcode model, without the options that are not sent, such as Lockstep.Stall. It is
// policy.LocalSync{} before the client is connected.
func (c *Client) Model() policy.Model {
	if c.played == nil {
		return policy.LocalSync{}
	}
	return c.played
}

// Confirmed returns a component of a client's own entity as the server last sent it, as of [Client.ConfirmedTick]:
// a round trip and the input buffer behind the prediction. Draw it beside the prediction to see the server's state.
// It returns false if the server has not sent the component: for entities of others, for components that are not
// predicted, and under models that send no owner state, or only while a correction is open.
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

// ConfirmedInput returns the sequence number of the input after which the server had the newest owner state, that
// of [Confirmed]. Compare that state with the prediction after this input. It returns 0 before the first owner
// state, and under models without owner state.
func (c *Client) ConfirmedInput() uint32 { return c.mirror.Own.Newest.Input }

// Between returns a component of an entity of [Client.View] in the two confirmed states between which the newest
// frame drew it: those of Drawing.From and Drawing.To. If there was no later state, to equals from. It returns
// false for simulated entities, for entities that were not drawn between states, and for components that are
// missing in one of the states.
func Between[T any](c *Client, e ecs.Entity) (from, to T, ok bool) {
	if c.world == nil {
		return from, to, false
	}
	ok = c.interpolator.Pair(e, ecs.ComponentOf[T](c.protocol), unsafe.Pointer(&from), unsafe.Pointer(&to))
	return from, to, ok
}

// Presence describes what a client knows about the absence or presence of an entity.
type Presence = mirror.Presence

const (
	// NotLoaded: this client never received the entity, or has forgotten it, or has not joined yet; or the entity
	// left its group, and its new one has not arrived.
	NotLoaded = mirror.NotLoaded
	// Present: the newest snapshot contained it.
	Present = mirror.Present
	// Stale: it is in the world as in an earlier snapshot. The newest one did not contain it, because of the byte
	// budget or because a packet was lost.
	Stale = mirror.Stale
	// OutOfInterest: the server no longer shows it to this client.
	OutOfInterest = mirror.OutOfInterest
	// Destroyed: the server despawned it.
	Destroyed = mirror.Destroyed
)

// PresenceChange is the argument of ClientConfig.OnPresence: an entity enters or leaves the world of a client.
//
//	ID     components.NetID
//	Entity ecs.Entity // in Client.World; zero if it had to leave before the reason was known
//	Why    Reason
//	Tick   uint32     // server tick of the state with the change
type PresenceChange = mirror.PresenceChange

// Reason is the reason for an entity entering or leaving the world of a client; Enters distinguishes the two.
//
// Spawned and Despawned are certain. Events between two received snapshots count as one: an entity that was spawned
// or despawned out of sight, and also entered or left sight, is reported as CameIntoSight or WentOutOfSight.
// Entities that move within sight, or change their components there, are not reported.
type Reason = mirror.Reason

const (
	// Joined: it existed when the client joined, or is an own entity that arrived before the join was complete.
	Joined = mirror.Joined
	// Spawned: the server spawned it in sight of this client.
	Spawned = mirror.Spawned
	// CameIntoSight: it existed before, and the client may see it from now on.
	CameIntoSight = mirror.CameIntoSight
	// Despawned: the server despawned it in sight of this client. Clients do not learn of despawns out of sight.
	Despawned = mirror.Despawned
	// WentOutOfSight: it still exists, and the client may no longer see it. If a byte budget delays an entity for
	// long, it may go out of sight and return for that reason.
	WentOutOfSight = mirror.WentOutOfSight
	// LeftBehind: this client continues in another room. Entities there are different, even with the same number.
	LeftBehind = mirror.LeftBehind
)

// Presence returns what this client knows about the absence or presence of an entity. It remembers the newest 4,096
// entities that are gone.
func (c *Client) Presence(id components.NetID) Presence {
	if c.world == nil {
		return NotLoaded
	}
	return c.model.known.Presence(id)
}

// StateTick returns the server tick of the newest received state of an entity that is [Present] or [Stale].
func (c *Client) StateTick(id components.NetID) (tick uint32, ok bool) {
	if c.world == nil {
		return 0, false
	}
	return c.model.known.StateTick(id)
}

// mirroredEntities provides the presence of entities from snapshots.
type mirroredEntities struct {
	c       *Client
	present bool // others are not drawn in the past
}

// Presence returns the presence of an entity according to the newest snapshot with it.
func (k mirroredEntities) Presence(id components.NetID) Presence {
	return k.c.mirror.Presence(uint32(id))
}

// Shows reports whether a tick is drawn, or if others are simulated, whether its state has arrived.
func (k mirroredEntities) Shows(_, tick uint32) bool {
	if k.present {
		return k.c.mirror.Newest.Tick > tick
	}
	return k.c.DrawnTick() >= float64(tick)+1
}

// StateTick returns the tick of that snapshot.
func (k mirroredEntities) StateTick(id components.NetID) (tick uint32, ok bool) {
	return k.c.mirror.StateTick(uint32(id))
}

// SetScope selects whether the client simulates an entity of its [Client.World], instead of ClientConfig.Prediction.Scope,
// until the entity leaves the world. It takes effect before the next tick. The drawn entity blends within 12 ticks;
// the simulated state jumps. SetScope returns false and does nothing for an entity that the server has not sent. It
// panics if s is not a valid Scope.
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
