// Package whole computes with integers, so that the result is the same on every CPU. Floats would differ on CPUs that fuse
// multiply and add.
//
//   - Rotations: [Rotation], [QuatGrid], [Matrix], [Extrapolate].
//   - Lengths and directions in the plane: [Toward], [Along], [Length], [Bearing], [Root].
package whole
