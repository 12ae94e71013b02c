// Package swarm runs the clients of a load test: thousands of players in one process, with real sessions, tokens and
// inputs, connected to your server. It measures latency, loss and bytes, and reports whether its own machine was the limit.
//
// # Index of tasks
//
//   - Load-test a server and have a report: [Run] with a [Config].
//   - Say what players do: [Input].
//   - Fill rooms, whose seats are given by HTTP: [Config.Rooms].
//   - Let some clients decode and verify everything: [Config.Thin]; the others are blind.
//   - Let clients join and leave one by one: [Config.OnDemand], [Swarm.Join], [Swarm.Leave].
//   - Drive it yourself: [New], [Swarm.Step], [Swarm.Measure], [Swarm.Report].
//
// A blind client has a session, sends an input every tick and acknowledges datagrams like any client. It decrypts and
// hashes snapshots but does not decode them. The server cannot distinguish it from a client whose player only watches. It
// costs about three microseconds per tick, besides the kernel.
package swarm
