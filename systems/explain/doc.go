// Package explain is why a client was, or was not, told of an entity at a send.
//
//   - What was decided, and why: [Decision], [Reason]. Server.Baseline returns what a client knows of an entity, and
//     Knowledge.Explain of that a decision.
//   - What a part of the interest said: [Part].
//   - What the system Snapshot remembers of decisions while somebody asks: [Watches].
//
// It reads nothing: the system Snapshot writes decisions, and who looks reads them.
package explain
