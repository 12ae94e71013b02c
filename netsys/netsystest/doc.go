// Package netsystest checks that a wire does what [netsys] asks of it.
//
// # Index of tasks
//
//   - Test a [netsys.Wire] of your own: [Run].
//   - Test one that listens on UDP sockets: [RunUDP].
//   - Let clients reach it over UDP, or over a bad link: [OverUDP], [Conditioned], [Poor].
//   - Send and receive without sessions: [Arrivals], [Answer].
//   - Let it run in virtual or in real time: [VirtualClock], [RealClock].
//   - Record what a handler is told: [Recorder].
package netsystest
