// Package deterministic implements rollback and lockstep: every peer simulates everything from the
// inputs of all players. Under rollback a late input is inserted into the past and the following
// ticks are simulated again. Under lockstep a tick waits for all inputs.
//
//   - The server decides which inputs count and relays them: [Server], and [Member] for each client.
//   - A client follows: [Client] provides its InputGather, Predict, Reconcile, Send and Interpolate;
//     [Pace] decides when it simulates ticks to stay with the server.
//   - Framing of the datagrams and messages of package relay: [ParseDatagram], [ParseMessage],
//     [BulkChannel].
//   - Compare two worlds: [Client.Differs].
//
// The package reads the packets of its sessions and the inputs that the game gathers. It changes the
// world through package timeline, and sends packets on its sessions.
package deterministic
