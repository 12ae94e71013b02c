// Package mirror is what a server told a client: it decodes snapshots, keeps their states,
// and places the entities that they tell of into the client's world.
//
//   - Take in a datagram: [Mirror.Receive] (mirror.go); decode its blocks: [Decoder]
//     (decode.go); count what they are made of: [Decoder.CountBytes].
//   - Find what a send told of a group: [Store], [History] (store.go).
//   - Place the news into the world, and take out what is gone: [Mirror.Place] (place.go);
//     what that asks of scope, spawns, reconciliation, ownership and drawing: [Host].
//   - Join, with the state of one send: presence.go.
//   - Read the state of own entities, in full precision: [Own] (own.go).
//   - Find an entity, or all: [Entities], [Replica]; keep something of each, by its index:
//     [Records] (replica.go).
//   - Say why an entity is not there: [Mirror.Presence] (presence.go); why one came, or went: [Reason],
//     [PresenceChange] (reason.go), where all is simulated by [Watch] (watch.go).
//
// It reads datagrams and, through Host, what the rest of the client decides. It writes the
// confirmed state of entities into the world, but for what is predicted there: that is
// Reconcile's, which reads it from here. Drawing says by [Mirror.Retain] which states it needs.
package mirror
