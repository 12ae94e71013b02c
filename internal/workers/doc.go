// Package workers runs pieces of work on several goroutines.
//
//   - Create a pool: [New]. New(1) or a nil pool runs everything on the caller.
//   - Run n pieces and wait for all of them: [Pool.Each].
//   - Give each worker its own scratch memory: there are [Pool.Workers] workers.
//
// The assignment of pieces to workers is not deterministic. So a piece must write only its own data, and must not
// read data that another piece writes. Combine the results afterwards, in the order of the pieces. Then the result
// does not depend on the number of workers.
package workers
