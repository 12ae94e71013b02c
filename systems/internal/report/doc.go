// Package report is results: what a client's newest input led to, in a few bits, and what
// the server makes of it. Where it agrees, own state does not travel; where it differs, a
// correction begins, and own state travels until a result agrees again.
//
//   - Write the result of a client's entities: [Coder.List], [Coder.Write].
//   - Refuse protocols for which results are too coarse: [Check].
//   - Keep what a client reports, and compare it with what the server has after the same
//     input: [Client.Take], [Judge.List], [Judge.Compare].
//   - What snapshots follow from that: [Client.Header], [Client.Parts], [Judge.Tells].
//
// A result names no field: it is the remainders of what may differ within tolerance, and a
// hash over all the rest. The room reads worlds and writes nothing but headers; its bytes
// are in package wire.
package report
