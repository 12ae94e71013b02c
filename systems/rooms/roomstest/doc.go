// Package roomstest has what tests of directories share: every directory of rooms keeps to the same.
//
//   - Test one: [Directory].
//   - Have a game, the smallest that is one: [Field].
//   - Test what stands on one: [Faulty], with faults by a seed and in virtual time.
package roomstest
