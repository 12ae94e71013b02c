// Package policy defines the netcode models and their options. The same world, components and Simulate function run
// under every model.
//
// # Index of tasks
//
//   - Choose a model: [LocalSync], [Buffered], [CorrectOnMismatch], [ServerRewind], [Rollback], [Lockstep]. Parse a
//     flag: [ParsePreset].
//   - Set its options: fields of the model. Check them: [Model].Validate.
//   - Treat several models alike: [TraitsOf], [Is].
//   - Compute which outcomes are final: [Traits.FirstOpen].
//   - Encode a model for a peer: [Append], [Parse].
//   - Log it: [Traits.String], [Model].String.
//
// Rates are not part of a model: the simulation step, the wake-ups of the server and the send rate are in the server's
// configuration. The tolerance of a field is registered with its component.
//
// # Models
//
//	LocalSync           The default, for most games. Own entities respond at once, others are shown slightly late.
//	                    Nobody re-simulates the entities of others. The server re-simulates nothing; a client at
//	                    most ⌈round trip / tick⌉ + buffer depth + 1 ticks for each misprediction, for any number
//	                    of players.
//	Buffered            LocalSync with damped remotes. Set the server's WakeEvery to 3 for a server that wakes
//	                    20 times a second and simulates 60 steps. For many players on little server time.
//	CorrectOnMismatch   LocalSync with fewer bytes down for owner state, and a few bytes up for the result. For
//	                    large owner states that are mostly predicted right.
//	ServerRewind        Fair to slow links: a shot counts in the tick in which the player fired. The clocks of all
//	                    players lead the server by the same number of ticks, as many as the slowest link needs, up
//	                    to half the window. So one slow player makes all players see the others later, but no
//	                    player is at a disadvantage. The server re-simulates late inputs (8.6 ticks per tick for
//	                    8 players at ±30 ms without a lead; 0.01 to 0.02 for 8 players at 500/84/5 with it). Others
//	                    see jumps up to the window, and kills wait for the horizon. For duels with many players.
//	Rollback            All entities are shown in the present, and only inputs are sent. Every player pays for the
//	                    latency of all players: with one-way latencies of 2, 5 and 10 ticks, one input change of
//	                    each player costs 17 re-simulated ticks on the server and 19, 22 and 27 on the players.
//	                    Changes in every tick, merged, cost 10 and 12, 15 and 15 per tick. For two to four players.
//	Lockstep            The fewest bytes, no corrections, any number of entities. Own entities respond after a
//	                    round trip of the slowest link, for all players alike. For strategy games.
//
// The figures were measured at 60 steps and 20 snapshots a second, with 8 clients where the number matters. Rollback
// and Lockstep need a Simulate function that produces the same bits on every peer; ecs.World.ForceRollback finds
// differences. LocalSync, Buffered and CorrectOnMismatch only need similar results.
//
// # Costs and uses of each option
//
// "500/84/5" is a link with a mean round trip of 500 ms, and ±84 ms jitter and 5 % loss in each direction.
//
// Input timing: Arrival, or stamped under ServerRewind, Rollback and Lockstep:
//
//	buffered     Delays the actions of a player for the others by the depth of the buffer: 13 ticks or 200 ms at
//	             500/84/5, 2 ticks on a good link. No input was missing in five minutes at 500/84/5. The default.
//	arrival      No delay, but jitter causes mispredictions: 728 corrections a minute at 100/±20/2, where buffered
//	             causes none. For links without jitter, and for comparisons.
//	stamped      Needs synchronized clocks: without a lead of the client every input is late; with a lead of 9 ticks
//	             there are 0.05 re-simulations per tick. The server controls the lead, the same for all clients.
//	             Delays the player's own actions by Suggest. For actions that must happen in the tick in which
//	             the player acted.
//
// Late input: Supersede, or rewritten under ServerRewind and Rollback:
//
//	drop         The player loses the input. No shown state changes. The default.
//	superseded   The player loses the tick. Held keys are right again one tick after the input arrives. For inputs
//	             that are states (a stick) rather than events (a press).
//	rewrite      The server re-simulates up to the window, at most once per tick: 8.6 ticks per tick, where one pass
//	             per input would cost 58. Others see jumps. For fairness.
//
// Missing input: Missing or Neutral, and waiting under Lockstep:
//
//	repeat       Mostly right, because players mostly keep holding keys. The default.
//	neutral      Each lost input causes a stutter, but a player who released the keys never runs on. For vehicles
//	             at a cliff, and for games similar to turns.
//	wait         Every player waits for the slowest one, and the game stops when that player is gone. In return no
//	             prediction is wrong. For lockstep.
//
// Server state:
//
//	forward      Simulates each tick once. The default.
//	rewind       Needs a history of the window and the re-simulation of late inputs.
//
// Correction:
//
//	state        Sends the state of own entities in every snapshot. The default.
//	mismatch     Adds a quantized result to every input packet. The server compares it and sends no owner state while
//	             the results agree. A client that reports false results gains nothing.
//	inputs       Sends no state, so the bytes do not grow with the number of entities. But every peer stores and
//	             simulates everything, can see hidden entities, and receives the state of the whole world to join.
//
// Remotes:
//
//	interpolated Never wrong, but old: 280 ms at a round trip of 200 ms ±30 with 5 % loss, 482 ms at 500/84/5,
//	             without a stall. The default.
//	damped       As new as the last snapshot, and slightly wrong between two snapshots. Approaches at
//	             max(d, |error|·d) a second, and snaps beyond a threshold. For slow entities, and for few
//	             snapshots a second.
//	co-simulated In the present, and wrong whenever a player changes an input. A client then re-simulates all visible
//	             entities. For contact between players: ball games, melee. With a server that only goes forward,
//	             clients predict others from confirmed states.
//
// Outcomes:
//
//	at once            Final when announced, because nothing is rewritten. The default.
//	past the horizon   Shown at once as provisional, final up to the window later; 17 % of provisional hits were
//	                   withdrawn. With a server that only goes forward, only the client's own predictions are
//	                   provisional, until the server has confirmed their tick.
//
// Horizon:
//
//	players      When the inputs of all players are known: a few ticks on good links. A player whose inputs do not
//	             arrive delays it, up to the window. The default.
//	window       Always after the window, in the same tick on every peer.
package policy
