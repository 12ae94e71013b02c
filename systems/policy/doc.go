// Package policy says what a netcode model is: a choice on each of nine axes. The
// same world, components and Simulate function run under any of them.
//
//   - Take a whole model: [Preset], [Presets], [Preset.Policies]; as a flag: [ParsePreset].
//   - Choose by axis: [Policies], beginning with those of a preset.
//   - Learn whether the choices go together, and what to choose instead: [Policies.Validate].
//   - Read the parameters: [Policies.Filled], [Policies.WindowTicks], [Policies.SuggestTicks].
//   - Know which outcomes are final: [Policies.FirstOpen].
//   - Tell a peer: [Policies.Append], [Parse].
//   - Log them: [Policies.String].
//
// Rates (simulation step, server wake-up, send rate) are no policies: they are in
// the server's configuration. Nor is how one field is compared: that is said where
// its component is registered, and [Tolerance] says whether it counts.
//
// # Presets
//
//	LocalSync           the default. Own entities answer at once, others are shown a little late, nobody
//	                    re-simulates anybody else: the server 0 ticks, a client at most
//	                    ⌈round trip / tick⌉ + buffer depth + 1 for each misprediction, whatever the
//	                    number of players. For most games.
//	Buffered            LocalSync whose others follow by damping; set the server's WakeEvery to 3 for a
//	                    20 Hz server of 60 steps. For many players on little server time.
//	CorrectOnMismatch   LocalSync with fewer bytes down for own state and a few up for the result. For
//	                    large own states that are mostly predicted right.
//	ServerRewind        fair to slow links: a shot counts in the tick in which it was fired, and the clocks of
//	                    all players lead the server's alike, as far as the slowest link needs but at most
//	                    half the window. So one slow player makes everybody see the others later, and
//	                    nobody lose for it. The server re-simulates what comes late all the same (with no
//	                    lead 8.6 ticks a tick for 8 players at ±30 ms; with it 0.01 to 0.02 for 8 at
//	                    500/84/5), others see jumps up to the window, and kills wait for the horizon. For
//	                    duels with many players.
//	Rollback            everybody shown in the present, inputs only on the wire, and everybody pays for
//	                    everybody's latency: with one-way latencies of 2, 5 and 10 ticks, one change of
//	                    input each costs 17 re-simulated ticks on the server and 19, 22, 27 on the players;
//	                    changes in every tick, merged, 10 a tick and 12, 15, 15. For two to four players.
//	Lockstep            the fewest bytes, no corrections ever, any number of entities; the own entity
//	                    answers a round trip of the slowest link late, for everybody alike. For strategy games.
//
// Figures are counted at 60 steps a second and 20 snapshots a second, with 8 clients where
// it matters. Both Rollback and Lockstep need a Simulate that gives the same bits on every
// peer; ecs.World.ForceRollback finds what does not. LocalSync, Buffered and
// CorrectOnMismatch only need it to be close.
//
// # The axes: what each choice costs, and when to choose it
//
// Input timing. "500/84/5" is 500 ms mean round trip, ±84 ms jitter each way, 5 %
// loss each way.
//
//	buffered     costs the others the depth of the buffer in delay: 13 ticks or 200 ms at 500/84/5, 2 ticks on
//	             a good link. In return no input was missing there in five minutes. The default.
//	arrival      no delay, but each jitter is a misprediction: 728 corrections a minute at 100/±20/2, where
//	             buffered makes none. For links without jitter, and to compare.
//	stamped      needs clocks that agree: without a lead of the client every input is late, with a lead of
//	             9 ticks there are 0.05 re-simulations a tick. The server steers that lead, the same for all.
//	             Costs the player Suggest in delay. For whatever must happen in the tick in which the
//	             player did it.
//
// Late input.
//
//	drop         costs the player an input. Nothing that was shown changes. The default.
//	superseded   costs the player the tick; what it holds then is right again a tick after it arrives. For
//	             inputs that are states (a stick) rather than events (a press).
//	rewrite      costs the server up to the window in ticks, once a tick; a pass for each input would cost
//	             58 ticks a tick where one merged pass costs 8.6. Visible jumps. For fairness.
//
// Missing input.
//
//	repeat       mostly right, because players mostly hold. The default.
//	neutral      a stutter for each lost input, but nobody runs on who does not press. For vehicles at a
//	             cliff, and turn-like games.
//	wait         costs everybody the slowest player's latency, and stands still when that one is gone. With
//	             it nothing is ever wrong. For lockstep.
//
// Server state.
//
//	forward      each tick once. The default.
//	rewind       a history of the window, and the re-simulation above.
//
// Correction.
//
//	state        the own entity's bits in every snapshot. The default.
//	mismatch     a quantized result in every input packet, compared on the server; nothing down while it
//	             agrees. A client can report what it likes and gains nothing.
//	inputs       no state at all, so bytes do not grow with entities; but every peer holds and simulates
//	             everything, sees what it should not, and joins late by a snapshot of the whole.
//
// Remotes.
//
//	interpolated never wrong, and old: 387 ms at a round trip of 200 ms ±30 with 5 % loss, 599 ms at 500/84/5,
//	             without a stall. The default.
//	damped       as new as the last snapshot, and softly wrong between two: rate max(d, |error|·d) a
//	             second, snapping beyond a threshold. For slow-moving things, and few snapshots a second.
//	co-simulated in the present, and wrong whenever somebody changes an input; a client then re-simulates
//	             everything it sees. For contact between players: ball games, melee. It works with a server
//	             that only goes forward too: clients then predict others from confirmed states.
//
// Outcomes.
//
//	at once            final when told, and right, because nothing is rewritten. The default.
//	past the horizon   shown at once, final up to the window later; 17 % of provisional hits were withdrawn.
//	                   With a server that only goes forward it is the client's own predictions
//	                   that are provisional, until the server has confirmed their tick.
//
// Tolerance.
//
//	fields       the step or tolerance of each field. Small differences are not corrected, so they last. The
//	             default.
//	exact        every bit. For worlds that round after each step (ecs.Protocol.QuantizeSteps), and
//	             needed where peers compare checksums.
//
// Horizon.
//
//	players      as soon as nobody's input is outstanding: on good links a few ticks. A player whose inputs do
//	             not come delays it up to the window. The default.
//	window       always the window, and in the same tick on every peer.
//
// # What does not go together
//
// Of the 3,888 combinations most contradict themselves. Validate knows which two
// choices exclude each other and why; with the advice it gives, whatever one begins
// with becomes a model in a few steps.
package policy
