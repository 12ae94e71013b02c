// Package reconcile keeps what a client predicts in line with the server.
//
//   - What caused corrections, by field: [Causes], [Cause]; of several clients together: [Causes.Add].
//   - One wrong prediction, as it is found: [Mismatch].
//   - Count causes: [Counter].
package reconcile
