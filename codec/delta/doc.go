// Package delta encodes the state of many entities as differences to older states that the receiver has.
//
//   - Store the state of a group of entities at one send: [Group].
//   - Describe the components: [Layout], from the tables of package codec/schema.
//   - Encode and decode a block of groups: [Encoder], [Decoder], [Part].
//   - Predict values well: [Model]. Train a model on the traffic of a game with the command codec/train: [Recorder],
//     [Trained].
package delta
