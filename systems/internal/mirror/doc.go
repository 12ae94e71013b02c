// Package mirror keeps what a server sent to a client: it decodes snapshots, stores their states,
// and places their entities into the client's world.
//
//   - Receive a datagram: [Mirror.Receive] (mirror.go). Decode its blocks: [Decoder]
//     (decode.go). Count bytes by component: [Decoder.CountBytes].
//   - Keep the sets of sends, and give entities slots: set.go. The world and owner state have a [Region] each.
//   - Read what a send contained of a group: [Store], [History] (store.go).
//   - Update the world from new states, and remove entities: [Mirror.Place] (place.go).
//     Scope, spawns, reconciliation, ownership and drawing take part through [Host].
//   - Join with the state of one send: presence.go.
//   - Read the owner state, the client's own entities in full precision: [Own] (own.go).
//   - Look up an entity or list all: [Entities], [Replica]. Store data per entity at its index:
//     [Records] (replica.go).
//   - Explain why an entity is absent: [Mirror.Presence] (mirror.go). Report entities that enter and leave:
//     [Reason], [PresenceChange] (reason.go), and [Watch] (watch.go) where everything is simulated.
//
// The mirror reads datagrams, and the decisions of the rest of the client through Host. It writes the
// confirmed states of entities into the world, except predicted components: reconcile reads
// those from the mirror. Drawing calls [Mirror.Retain] to keep the states that it needs.
package mirror
