// Package timeline keeps the inputs of all players by tick and steps a world by
// them. An input that comes late, within a window, goes where it belongs: the
// world goes back to the tick before it, and what followed is simulated again. It
// is what rewinding servers, rollback and lockstep are made of. It knows no
// network and no clock.
//
//   - Begin: [New], [Config]; anew with another state of the world: [Timeline.Restart].
//   - Players come and go in ticks, which may be past: [Timeline.Join], [Timeline.Leave], [Timeline.AppendPresences].
//   - Give an input: [Timeline.Put]; what became of it: [Verdict].
//   - Simulate the next tick, after what must be simulated again: [Timeline.Step]; or part by part, where Simulate
//     and Authority are the caller's: [Timeline.Ready], [Timeline.Pass], [Timeline.Open], [Timeline.Close]. Under
//     lockstep, who keeps it waiting: [Timeline.AppendMissing].
//   - Draw between ticks: [Timeline.Foresee].
//   - What is final: [Timeline.Horizon]; of one player: [Timeline.Decided]; follow it with
//     outcomes and events: [Listener].
//   - Compare worlds among peers: [Timeline.Hash]; when they differ, where: [Timeline.AppendDigest],
//     [Timeline.Divergence].
//   - Relay inputs to other peers: [Timeline.AppendRuns]. Hear them: Config.Follower, [Timeline.Put],
//     [Timeline.Overrule], [Timeline.Told].
//   - Let a peer begin with a later state: [Timeline.Held], [Timeline.Adopt].
//   - Look into the past: [Timeline.History], [Timeline.Newest].
//   - Count: [Timeline.Stats], [Timeline.Inputs], [Timeline.Missing].
//
// # What a tick is
//
// Tick t is a run of Config.Leave and Config.Join for who goes and comes in it, in
// order of their numbers, then of Simulate, then of Authority. The inputs of all
// players are on their entities before, and World.Tick is t, as is the sequence of
// every player's input: so all peers draw the same random numbers and give the same
// NetIDs. An entity whose owner does not play has the neutral input.
//
// An input that is not there yet, or never comes, is filled: the player's last one
// before it is repeated without its edges, then the neutral one takes its place.
// So a late input bears on what was filled after it, too, and changes nothing where
// it is what was filled. The input that a tick is simulated with is a function of
// the inputs that are known, whatever their order; hence peers that know the same
// inputs, joins and leaves have the same world, provided that Simulate and
// Authority depend on nothing but the world (see package ecs).
//
// # What it costs
//
// With inputs that are l ticks late, l ticks are simulated again for each change.
// Changes of one Step are merged into a single pass from the oldest, so that K
// players whose inputs change all the time cost no more than the latest of them;
// Config.Unmerged shows what that saves. A Step simulates at most Config.Window
// ticks again, whatever comes, and a player who sends late all the time gets only
// so many tokens a tick: Config.Refill.
//
// A tick takes one capture of the world, a copy of all columns, beside its
// simulation. Memory: the history of Config.Window ticks, and for each player
// Window + Early + Fills inputs, twice, and 16 bytes for each. Steps and what
// peers exchange allocate nothing in steady state; digests do.
//
// # What holds
//
//   - The first input for a player and tick wins.
//   - No tick before the horizon changes, and the horizon never goes back. It is at most a window behind the
//     next tick.
//   - Nothing but ticks changes the world: what else does is undone by the next pass, or not, as it happens.
package timeline
