package systems

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Err is why the session ended, or nil while it goes on. It wraps the errors of
// netsys: ErrSchema, ErrVersion, ErrServerFull, ErrTimeout, ErrClosed; or
// netcode.ErrTokenExpired.
func (c *Client) Err() error { return c.link.err }

// Connected reports whether the server has let this client in.
func (c *Client) Connected() bool { return c.world != nil && c.link.err == nil }

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

// Claim says which moment the view showed when the newest frame was drawn: what a
// player saw who acts now. Put it into the input, a field of that type, and the server
// looks at the world by it, with lagcomp.As:
//
//	in.Seen = client.Claim(in.Fire)
//
// While nothing is done that needs it it is the last one again, as nothing of what stays
// the same travels: at 200 ms of round trip, jitter of 30 ms and 5 % loss two shots a
// second add 1.4 bytes to each message, and ten 6; a new one in every tick 14. It says
// nothing, which gives the server's present, before others are drawn, and where
// everybody is shown in the present.
func (c *Client) Claim(acts bool) lagcomp.Claim {
	switch {
	case c.interpolator == nil:
		return lagcomp.Claim{}
	case !c.stages.drawing:
		c.interpolator.Shown(c.mirror.Newest.Tick)
	}
	return c.interpolator.Claim(acts)
}

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
