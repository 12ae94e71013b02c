// Package systemstest is the kit with which a game tests itself as go test: a
// crowd of worlds, one server and any number of clients, on a virtual network as
// bad as one likes. Time is virtual, so minutes of play take milliseconds, and a
// whole match is a function of its seed.
//
// Tasks:
//
//   - Try a rule on a world without a network: [Step].
//   - Start a match: [New] with a [Config]; see the example. In a program instead of
//     a test: [Open].
//   - Say what clients do: [Play], with random numbers from [Client.Rand].
//   - Say how bad the links are: Config.Link and Config.Links, [RoundTrip];
//     change them in mid-match with [Crowd.SetLinks] and [Client.SetLinks]; lose
//     chosen datagrams with [Crowd.Lose].
//   - Let time pass: [Crowd.Run], [Crowd.RunTicks], [Crowd.RunUntil],
//     [Crowd.Connect] until all have joined, [Crowd.Settle] until all is quiet.
//   - Come and go: [Crowd.Join], [Client.Leave], [Client.Kill], [Crowd.Return] with
//     which a player comes back.
//   - Be slow: [Client.Stall], [Crowd.StallServer]; have a clock that drifts:
//     [Client.SetDrift].
//   - Watch: [Crowd.OnServerTick], [Crowd.OnClientTick], [Crowd.OnFrame].
//   - Count: [Client.Figures], since the last [Crowd.Mark]; [Client.Traffic].
//   - Demand: [Crowd.Converged], [Crowd.NothingMissing], [Crowd.NoCorrections],
//     [Crowd.NoStalls]. They fail the test with what differs: which client and
//     entity, component, field, both values and the tick.
//   - Compare two runs: [Crowd.Hash].
//   - Demand that the number of workers changes nothing: [WorkersChangeNothing].
//   - Repeat with many seeds: [Seeds].
//
// Server and clients are [systems.Server] and [systems.Client], driven in the
// order in which their ticks are due: Crowd.Server and Crowd.Clients reach all
// that these offer. Clients' ticks are spread over the server's step, as on real
// machines, and a client's share of chance depends on its number alone, not on
// how many others there are.
//
// # Environment
//
// TACTUS_SEEDS is the number of seeds that [Seeds] runs, in place of what the
// test asks for:
//
//	TACTUS_SEEDS=500 go test ./mygame -run TestAgree
package systemstest
