// Package predict runs a client ahead of the server: inputs apply at once to what the client
// simulates.
//
//   - Apply the inputs that are due: [System.Run], the system Predict. One input: [System.Step].
//     Go back, to simulate again: [System.Rewind].
//   - Decide otherwise which inputs apply when: systems.ClientSystems, with systems.Predictor.
//   - Which entities a client simulates: [Mode], [Scope].
//   - Which tick of the server consumes an input, and after which input a snapshot stands:
//     [Numbering].
//   - What was predicted to be spawned or despawned, against what snapshots tell: [Spawns].
//
// It reads the log of inputs and what the mirror was told, and writes the client's world and
// a history of it by input.
package predict
