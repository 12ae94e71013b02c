// Package snapshot is the system Snapshot: it captures the world at each send tick and sends each client what that client
// has not acknowledged.
//
//   - Create the system, add and remove clients: [New], [System.Add], [System.Remove].
//   - Run a send tick: [System.Run].
//   - Send what it queued, and report what arrived: [Client.Packets], [Client.Sent], [System.Acked].
//   - Ask what a client knows about an entity, and why it was not sent: [System.Knowledge].
//
// A snapshot passes through five stages. The first runs once per send tick, the others once per client (draft.go calls
// them in this order). Each stage reads the results of the stages before it.
//
//  1. Capture changes: system.go. The world becomes a frame (package internal/capture), which all clients share.
//  2. Interest: interest.go, moves.go. Which entities the client may see, and which slots must wait because
//     their entity moved (package interest).
//  3. Difference: difference.go, and owner.go for the client's own entities. Which slots differ from what
//     the client acknowledged, and from which baseline to encode them (package baseline).
//  4. Priority: priority.go, priority_rounds.go. Which groups or entities go first if not everything fits the budget.
//     Clients share the position of the rounds.
//  5. Encoding: encode.go, datagrams.go. Blocks become bytes, which clients share, and are packed into datagrams.
//
// A joining client receives the state of one send (join.go). Clients are divided among workers (workers.go); nothing
// depends on the number of workers.
//
// The package reads the world, acknowledgements and, through [Peer], the state of a client's inputs. It writes packets
// and counts their bytes (package traffic). It changes nothing in the world.
package snapshot
