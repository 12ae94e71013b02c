// Package reconcile keeps a client's predictions consistent with the server.
//
//   - Compare, and simulate again after a misprediction: [Correct]. [System] defines the terms and the order of the steps
//     after a correction.
//   - Compare or correct in another way: systems.ClientSystems, with a copy of [Correct]. [Read] reads a [Value].
//     [Amend] changes stored predictions instead of simulating again.
//   - Adopt fields tagged server without simulating again: decided.go.
//   - What the server has confirmed: [System.ConfirmedInput].
//   - Report results, if owner state arrives only as a correction: [System.Report].
//   - Causes of corrections by field: [Causes], [Cause]; of several clients: [Causes.Add].
//     A single wrong prediction: [Mismatch].
//
// The package reads the mirror and the history of predictions. It changes the client's
// world by simulating again.
package reconcile
