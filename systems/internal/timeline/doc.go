// Package timeline keeps the inputs of all players by tick and advances a world with
// them. When an input arrives late, but within a window, the timeline restores the
// world before that tick and simulates the following ticks again. Rewinding servers,
// rollback and lockstep are built on it. It uses no network and no clock.
//
//   - Start: [New], [Config]. Start over with another state of the world: [Timeline.Restart].
//   - Add and remove players in a tick, which may be past: [Timeline.Join], [Timeline.Leave], [Timeline.AppendPresences].
//   - Add an input: [Timeline.Put]. The result is a [Verdict].
//   - Add a command: [Timeline.AddCommand].
//   - Simulate the next tick, after the ticks that changed: [Timeline.Step]. In parts, if the caller runs Simulate and
//     Authority: [Timeline.Ready], [Timeline.Resimulate], [Timeline.BeginTick], [Timeline.EndTick]. Under lockstep, players
//     whose input is missing: [Timeline.AppendMissing].
//   - Draw between ticks: [Timeline.PredictInputs].
//   - Final ticks: [Timeline.Horizon]; of one player: [Timeline.Decided]. Follow the timeline with
//     outcomes and events: [Listener].
//   - Compare worlds of peers: [Timeline.Hash]. Find a difference: [Timeline.AppendDigest],
//     [Timeline.Divergence].
//   - Receive the inputs of other peers: Config.Follower, [Timeline.Put], [Timeline.Overrule],
//     [Timeline.SetServerHorizon].
//   - Let a peer start from a later state: [Timeline.Held], [Timeline.Adopt].
//   - Inspect the past: [Timeline.History], [Timeline.Newest].
//   - Counters: [Timeline.Stats], [Timeline.Inputs], [Timeline.Missing].
//
// # What a tick is
//
// Tick t runs the protocol's Leave and Join handlers of the players who leave and join in
// it, ordered by player, then commands, then Simulate, then Authority. Before that, the inputs
// of all players are on their entities. World.Tick is t, and so is the sequence number of
// every player's input, so that all peers draw the same random numbers and assign the same
// NetIDs. An entity whose owner is not in the game has the neutral input.
//
// A missing input is filled: the player's previous input is repeated without its edge
// fields, and after Config.Fills ticks the neutral input follows. A late input therefore also
// affects the ticks that were filled after it, and changes nothing if it equals the filled
// input. The input of a tick is a function of the known inputs, in whatever order they
// arrived. Peers that know the same inputs, joins and leaves therefore have the same world,
// provided that Simulate and Authority depend only on the world (see package ecs).
//
// # Cost
//
// If inputs are l ticks late, each change makes l ticks simulated again. All changes
// between two ticks are merged into one pass from the oldest: K players whose inputs change all the
// time cost no more than the one with the latest inputs. Config.Unmerged shows what that saves.
// A Step simulates at most Config.Window ticks again. Config.Refill limits a player
// who always sends late.
//
// Besides its simulation, a tick costs one capture of the world: a copy of all columns. Memory: a
// history of Config.Window ticks, and for each player Window + Early + Fills inputs, twice, and
// 16 bytes for each. In steady state ticks and messages allocate nothing; digests do.
//
// # Guarantees
//
//   - The first input for a player and tick wins.
//   - No tick before the horizon changes, and the horizon never decreases. It is at most a window behind the
//     next tick.
//   - Only ticks may change the world. Other changes may or may not be undone by the next pass.
package timeline
