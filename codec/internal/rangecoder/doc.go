// Package rangecoder is the arithmetic of the range coder: bits and numbers, written and
// read by the same calls with chances that adapt.
//
//   - Code bits and numbers: [Coder].
//   - Expect them: [Chance], and of the sizes of numbers [Row] and [Lot].
package rangecoder
