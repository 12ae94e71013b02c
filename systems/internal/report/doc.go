// Package report implements results: the state after a client's newest input in a few bits, and
// the server's comparison with its own state. While results agree, the server sends no owner state.
// When a result differs, a correction opens, and owner state is sent until a result agrees again.
//
//   - Encode the result of a client's entities: [Coder.List], [Coder.Write].
//   - Refuse protocols for which results are too coarse: [Check].
//   - Store a client's results, and compare them with the server's state after the same
//     input: [Client.Receive], [Judge.List], [Judge.Compare].
//   - Fill in snapshots accordingly: [Client.Header], [Client.Parts], [Judge.Tells].
//
// A result names no fields: it contains remainders of words that may differ within tolerance, and a
// hash of all words. The package reads worlds and writes headers. Package wire defines
// the encoding.
package report
