package event

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// route is a way that an event goes.
type route uint8

const (
	routeNone route = iota
	routeServer
	routeOwner
	routeViewers
	routeAll
	routeClient
)

// Target is who an event is for: [ToServer], [ToOwner], [ToViewers], [ToAll] or
// [ToClient].
type Target struct {
	route  route
	entity ecs.Entity
	client uint32
}

// ToServer is the server. Raised by a server, such an event goes nowhere.
func ToServer() Target { return Target{route: routeServer} }

// ToOwner is the client that owns e, if one does. Raised by a client, such an event goes
// nowhere, and so it is with the others below: what Simulate raises for clients, the
// server alone sends.
func ToOwner(e ecs.Entity) Target { return Target{route: routeOwner, entity: e} }

// ToViewers is every client that sees e: its owner, and those of whom
// [Hooks].Sees says so.
func ToViewers(e ecs.Entity) Target { return Target{route: routeViewers, entity: e} }

// ToAll is every client.
func ToAll() Target { return Target{route: routeAll} }

// ToClient is one client by its number, if it is there.
func ToClient(client uint32) Target { return Target{route: routeClient, client: client} }

// side is who raises events for the target.
func (t Target) side() Side {
	if t.route == routeServer {
		return FromClients
	}
	return FromServer
}

// Subject is the entity that an event is about, as it was when that was raised. The
// zero Subject is none.
type Subject struct {
	// Entity is its handle, which may be dead by now.
	Entity ecs.Entity
	// NetID is its name on the wire, 0 for one that does not travel.
	NetID components.NetID
	// Owner is the client that owns it, 0 for none.
	Owner uint32
	// Key names what Simulate spawned for a client; zero for everything else.
	Key ecs.SpawnKey
}

// address is a target while its entity was alive.
type address struct {
	route  route
	client uint32
	about  Subject
}

func addressOf(w *ecs.World, t Target) address {
	a := address{route: t.route, client: t.client}
	if t.route == routeOwner || t.route == routeViewers {
		a.about = Subject{Entity: t.entity, NetID: w.NetID(t.entity)}
		if owner := ecs.Get[components.Owner](w, t.entity); owner != nil {
			a.about.Owner = owner.Client
		}
		if key := ecs.Get[ecs.SpawnKey](w, t.entity); key != nil {
			a.about.Key = *key
		}
	}
	return a
}

// same reports whether two addresses are one when a tick is simulated again. What
// Simulate spawned may have another NetID then, and has the same key.
func (a *address) same(b *address) bool {
	if a.route != b.route || a.client != b.client || a.about.Owner != b.about.Owner || a.about.Key != b.about.Key {
		return false
	}
	return a.about.NetID == b.about.NetID || a.about.Key != ecs.SpawnKey{}
}
