// Package explain records why the server sent an entity to a client, or did not.
//
//   - Read a decision and its reason: [Decision], [Reason]. Server.Baseline returns the knowledge of a client about an entity,
//     and Knowledge.Explain returns a decision.
//   - Read the result of one part of the interest: [Part].
//   - Store decisions while somebody asks for them: [Watches].
//
// The Snapshot system writes decisions into this package; it computes none itself.
package explain
