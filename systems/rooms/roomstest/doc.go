// Package roomstest has what tests of directories share: every directory of rooms keeps to the same.
//
//   - Test one: [Directory].
package roomstest
