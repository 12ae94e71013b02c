// Package systemstest is the test kit for games: it runs a server and any number of
// clients on a virtual network with any latency and loss. Time is virtual, so that minutes of play take
// milliseconds, and a whole match is a function of its seed.
//
// Tasks:
//
//   - Test rules on a world without a network: [Step].
//   - Start a match: [New] with a [Config]; see the example. In a program instead of
//     a test: [Open].
//   - Define what clients do: [Play], with random numbers from [Client.Rand].
//   - Define the links: Config.Link and Config.Links, [RoundTrip].
//     Change them during a match with [Crowd.SetLinks] and [Client.SetLinks]. Lose
//     selected datagrams with [Crowd.Lose].
//   - Advance the time: [Crowd.Run], [Crowd.RunTicks], [Crowd.RunUntil],
//     [Crowd.Connect] until all have joined, [Crowd.Settle] until nothing is in flight.
//   - Join and leave: [Crowd.Join], [Client.Leave], [Client.Kill], [Crowd.Return] for
//     a returning player.
//   - Stall: [Client.Stall], [Crowd.StallServer]. Let a clock drift:
//     [Client.SetDrift]. Set a clock: [Client.StepClock], [Crowd.StepClock].
//   - Observe: [Crowd.OnServerTick], [Crowd.OnClientTick], [Crowd.OnFrame].
//   - Count: [Client.Figures], since the last [Crowd.Mark]; [Client.Traffic].
//   - Assert: [Crowd.Converged], [Crowd.NothingMissing], [Crowd.NoCorrections],
//     [Crowd.NoStalls]. Their failures name the client,
//     entity, component, field, both values and the tick.
//   - Compare two runs: [Crowd.Hash].
//   - Assert that the number of workers changes nothing: [WorkersChangeNothing].
//   - Repeat with many seeds: [Seeds].
//
// Server and clients are [systems.Server] and [systems.Client], driven in the
// order in which their ticks are due. Crowd.Server and Crowd.Clients give access to all
// of their methods. The ticks of clients are spread over the server's step, as on real
// machines. The random numbers of a client depend only on the seed and its number, not on
// the number of clients.
//
// # Environment
//
// TACTUS_SEEDS overrides the number of seeds that [Seeds] runs:
//
//	TACTUS_SEEDS=500 go test ./mygame -run TestAgree
package systemstest
