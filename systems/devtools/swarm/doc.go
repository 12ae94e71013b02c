// Package swarm is the clients of a load test: thousands of players of a game in one process, with real sessions, tokens
// and inputs, against a server of yours. It measures what they feel, and says when the machine that it runs on is the limit.
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
// A blind client has a session, gives an input in every tick and acknowledges what it gets, as any client does; what arrives is
// opened and hashed, not decoded. The server cannot tell it from a client whose player looks on. It costs about three
// microseconds a tick beside the kernel.
package swarm
