// Package workers does pieces of work on several goroutines at once.
//
//   - Make a pool: [New]. Without goroutines of its own it is as good: [New] of 1, or nil.
//   - Do n pieces of work, and wait for all: [Pool.Each].
//   - Keep what a piece needs for itself, such as room to write in: one for each of [Pool.Workers].
//
// Which worker does which piece is left to chance. So a piece writes what is its own, and what it
// reads nobody writes meanwhile; what all pieces came to is put together afterwards, in their order.
// Then the result does not depend on how many workers there are.
package workers
