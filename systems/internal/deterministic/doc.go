// Package deterministic is rollback and lockstep: every peer simulates everything from the
// inputs of all players. Under rollback an input that comes late is put where it belongs, and
// what followed is simulated again; under lockstep a tick waits for all of them.
//
//   - The server decides which inputs there are, and relays them: [Server]; what it knows of a
//     client: [Member].
//   - A client follows: [Client] is its InputGather, Predict, Reconcile, Send and Interpolate;
//     [Pace] says when it makes ticks, to be where the server is.
//   - What datagrams and messages of package relay are wrapped in: [Datagram], [Message],
//     [BulkChannel].
//   - Compare two worlds: [Client.Differs].
//
// It reads the packets of its sessions and the inputs that the game gathers, and writes the
// world, by package timeline, and the packets of its sessions. It knows no other client or
// server than those of package relay.
package deterministic
