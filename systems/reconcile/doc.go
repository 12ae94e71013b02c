// Package reconcile keeps what a client predicts in line with the server.
//
//   - Compare, and simulate again what was wrong: [System.Run], the system Reconcile. What it
//     goes by, and what follows a correction, in which order: [System].
//   - Judge otherwise what is wrong: systems.ClientSystems, with [Confirmed], [Value] and [Read]. Correct it by simulating
//     again, with [Predictor.Rewind], or by changing what was predicted, with [Amend].
//   - Take over what the server decides, without simulating again: fields tagged server, decided.go.
//   - What the server has confirmed: [System.ConfirmedInput].
//   - Report results, where own state comes as a correction only: [System.Report].
//   - What caused corrections, by field: [Causes], [Cause]; of several clients together: [Causes.Add].
//     One wrong prediction, as it is found: [Mismatch].
//
// It reads what the mirror was told and the history of predictions, and writes the client's
// world, by simulating again.
package reconcile
