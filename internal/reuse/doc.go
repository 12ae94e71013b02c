// Package reuse keeps memory from one tick to the next.
//
//   - A slice of another length in the same memory: [Slice].
package reuse
