// Package reuse reuses the memory of slices from tick to tick.
//
//   - Change the length without keeping elements: [Slice]. Keep the elements: [Longer].
//   - Insert one element: [Insert].
package reuse
