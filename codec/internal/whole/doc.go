// Package whole computes in whole numbers what floats would round otherwise where a CPU fuses
// multiply and add.
//
//   - Turn: [Rotation], [QuatGrid], [Matrix], [Extrapolate].
//   - Lengths and directions in the plane: [Toward], [Along], [Length], [Bearing], [Root].
package whole
