// Package reuse keeps memory from one tick to the next.
//
//   - A slice of another length in the same memory: [Slice]. One that keeps its elements: [Longer].
//   - A slice with one element more: [Insert].
package reuse
