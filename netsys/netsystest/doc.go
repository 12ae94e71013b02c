// Package netsystest checks that a wire does what [netsys] asks of it.
//
// # Index of tasks
//
//   - Test a [netsys.Wire] of your own: [Run].
//   - Let it run in virtual or in real time: [VirtualClock], [RealClock].
//   - Record what a handler is told: [Recorder].
package netsystest
