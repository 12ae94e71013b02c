// Package reconcile keeps a client's predictions consistent with the server.
//
//   - Compare, and simulate again after a misprediction: [System.Run], the system Reconcile. [System] defines the
//     terms and the order of the steps after a correction.
//   - Replace the comparison: systems.ClientSystems, with [Confirmed], [Value] and [Read]. Correct by simulating
//     again with [Predictor.Rewind], or by changing stored predictions with [Amend].
//   - Adopt fields tagged server without simulating again: decided.go.
//   - What the server has confirmed: [System.ConfirmedInput].
//   - Report results, if owner state arrives only as a correction: [System.Report].
//   - Causes of corrections by field: [Causes], [Cause]; of several clients: [Causes.Add].
//     A single wrong prediction: [Mismatch].
//
// The package reads the mirror and the history of predictions. It changes the client's
// world by simulating again.
package reconcile
