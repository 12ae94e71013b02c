// Package delta codes the state of many entities against older states that
// the receiver holds.
//
// Tasks, and where to find them:
//
//   - Hold the state of a group of entities at one send: [Group].
//   - Say what the components mean: [Layout], from the tables of package schema.
//   - Write and read a block of groups: [Encoder], [Decoder], [Part].
//   - Expect the right values: [Model]. Train one on a game's own traffic with
//     package main in codec/train: [Recorder], [Trained], [Trainer], [DictionaryTrainer].
package delta
