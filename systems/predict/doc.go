// Package predict runs a client ahead of the server: the entities that the client simulates
// respond to inputs at once.
//
//   - Apply the inputs that are due: [System.Run], the system Predict. Apply one input: [System.Step].
//     Go back, to simulate again: [System.Rewind].
//   - Decide in another way which inputs apply when: systems.ClientSystems, with reconcile.Predictor.
//   - Choose which entities a client simulates: [Mode], [Scope].
//   - Relate inputs, server ticks and snapshots: [Numbering].
//   - Match predicted spawns and despawns with snapshots: [Spawns].
//
// The package reads the log of inputs and the mirror. It writes the client's world and
// a history of it by input.
package predict
