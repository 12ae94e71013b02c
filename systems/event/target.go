package event

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// route says how to select the receivers of an event.
type route uint8

const (
	routeNone route = iota
	routeServer
	routeOwner
	routeViewers
	routeAll
	routeClient
)

// Target selects the receivers of an event: [ToServer], [ToOwner], [ToViewers], [ToAll] or [ToClient].
type Target struct {
	route  route
	entity ecs.Entity
	client uint32
}

// ToServer selects the server. If the server itself raises such an event, it is ignored.
func ToServer() Target { return Target{route: routeServer} }

// ToOwner selects the client that owns e, if there is one. If a client raises such an event, it is ignored, because
// only the server sends to clients. The same is true for ToViewers, ToAll and ToClient.
func ToOwner(e ecs.Entity) Target { return Target{route: routeOwner, entity: e} }

// ToViewers selects every client that sees e: its owner, and the clients for which [Hooks].Sees returns true.
func ToViewers(e ecs.Entity) Target { return Target{route: routeViewers, entity: e} }

// ToAll selects every client.
func ToAll() Target { return Target{route: routeAll} }

// ToClient selects one client by its number, if it is connected.
func ToClient(client uint32) Target { return Target{route: routeClient, client: client} }

// side returns the side that raises events for the target.
func (t Target) side() Side {
	if t.route == routeServer {
		return FromClients
	}
	return FromServer
}

// Subject is the entity of an event, as it was when the event was raised. The zero Subject means no entity.
type Subject struct {
	// Entity is its handle. The entity may be dead.
	Entity ecs.Entity
	// NetID is its network id, 0 for an entity that is not replicated.
	NetID components.NetID
	// Owner is the client that owned it, 0 for none.
	Owner uint32
	// Key identifies an entity that Simulate spawned for a client. It is zero for all others.
	Key ecs.SpawnKey
}

// address is a Target with the properties that its entity had when the event was raised.
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

// same reports whether two addresses of the same tick are equal across simulations. An entity that Simulate spawned
// may have another NetID in each simulation, but keeps its key.
func (a *address) same(b *address) bool {
	if a.route != b.route || a.client != b.client || a.about.Owner != b.about.Owner || a.about.Key != b.about.Key {
		return false
	}
	return a.about.NetID == b.about.NetID || a.about.Key != ecs.SpawnKey{}
}
