// Package snapshot is the system Snapshot: it captures the world at each send tick and sends each client what that client
// has not acknowledged.
//
//   - Create the system, add and remove clients: [New], [System.Add], [System.Remove].
//   - Run a send tick: [System.Run].
//   - Send what it queued, and report what arrived: [Client.Packets], [Client.Sent], [System.Acked].
//   - Ask what a client knows about an entity, and why it was not sent: [System.Knowledge].
//
// A snapshot passes through these stages:
//
//  1. Capture, once per send tick: system.go. The world becomes a frame (package internal/frames).
//  2. Views, once per view: view.go. A view is the entities in sight, its members, in the order of the wire. Without an interest
//     all clients share one view; with one each client has its own (package interest).
//  3. Held, once per client: held.go. What the client holds of a view, and the baseline: a send of which the client has
//     acknowledged the whole view, or a part of it.
//  4. Pieces: pieces.go, encode.go. A piece is a block that fits into a datagram. The pieces of a view against a baseline are
//     encoded once and copied for all clients that need the same. A joining client is streamed the pieces of a kept send
//     (join.go). If the whole view does not fit, a client is sent the part that matters most or has waited longest; without
//     a game's priorities in chunks, which clients share (part.go).
//  5. Datagrams: datagrams.go. The blocks are packed into datagrams, as far as the budget allows.
//
// Owner state, the client's own entities at full precision, is a second view of each client (owner.go). It passes through stages 3
// to 5 before the other one, with records of its own.
//
// Invariant: a client that has not requested another epoch stores all sends that it holds according to held.go, from the floor of the
// newest packet on. At the start of an epoch it stores none. A client requests another epoch if it cannot decode a packet.
//
// Clients and views are divided among workers (workers.go); nothing depends on the number of workers.
//
// The package reads the world, acknowledgements and, through [Peer], the state of a client's inputs. It writes packets
// and counts their bytes (package traffic). It changes nothing in the world.
package snapshot
