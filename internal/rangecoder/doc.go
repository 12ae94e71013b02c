// Package rangecoder is a binary range coder with adaptive chances. The same calls write and read bits and numbers.
//
//   - Code bits and numbers: [Coder].
//   - Code the same with something else: [Sink].
//   - Adaptive chances: [Chance], and [Row] and [Lot] for numbers.
package rangecoder
