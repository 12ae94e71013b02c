// Package netsystest tests whether a transport fulfils the contract of [netsys.Wire].
//
// # Index of tasks
//
//   - Test your own [netsys.Wire]: [Run].
//   - Test a transport on UDP sockets: [RunUDP].
//   - Connect clients over UDP or over a bad link: [OverUDP], [Conditioned], [Poor].
//   - Send and receive without sessions: [Arrivals], [Answer].
//   - Run in virtual or in real time: [VirtualClock], [RealClock].
//   - Record the calls of a handler: [Recorder].
package netsystest
