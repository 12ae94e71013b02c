// Package outcome reports events that cannot be taken back, such as a counted kill, an announced goal or a sound. A tick can be
// simulated again with other inputs, or turn out to be mispredicted, so its effects are provisional at first. A game raises an
// outcome in Simulate, on any peer and under any model. It is called back up to twice: Begin when the outcome seems to have
// happened, then Commit when no rewrite can reach its tick any more, or Cancel when it did not happen.
//
//   - Create a world's log: [New], [Config]. Without a log [Raise] does nothing.
//   - Define the reaction to a type of outcomes: [Handle], [Handlers].
//   - Raise an outcome in a system of Simulate: [Raise].
//   - Read it in a handler: [Outcome], [Subject].
//   - Count outcomes and refused ones: [Log.Stats].
//   - Step a world under a model, see below: [Log.Rewind], [Log.Start], [Log.Done], [Log.Settle], [Log.Horizon].
//
// # Calls around a tick
//
// A model calls Start and Done around each run of Simulate, the first run of a tick and each later one:
//
//	log.Start(tick)
//	w.Netcode().SimulateStage().Run(w)
//	log.Done()
//
// Before it simulates a tick again, it calls log.Rewind(tick). At the end of each step it calls log.Settle(horizon). The horizon
// is the first tick that may still be simulated again:
//
//	a server that only goes forward    the next tick: outcomes are committed in the call in which they begin
//	a server that rewinds, rollback    the first tick for which a player's input is still missing, or the first tick
//	                                   of the window, whichever is later; see policy.Traits.FirstOpen
//	lockstep                           the next tick
//	a client of a forward server       the tick after the last one that the server has confirmed for each entity that
//	                                   the client simulates; counted in input sequences, because the tick of an input
//	                                   can shift
//	a client of a server that rewinds  the same, once the tick has left the server's window: until then the server can
//	                                   rewrite the tick that it has confirmed
//
// If a client's prediction was wrong at the tick that the server confirmed, the client does not simulate earlier ticks again. To
// withdraw the outcomes of these ticks, it calls Rewind with the first of them, then Settle. To trust them, it calls Settle alone.
// systems.Client withdraws them, so a client commits nothing that the server does not commit. Consequently a correction can
// withdraw an outcome that did happen. Its lasting effects are in the state in any case.
//
// A state confirms an outcome only if the outcome changed the state. So let the system that raises it also change a predicted
// component, such as a count of shots or a score. If this component belongs to an entity that is gone, or that this client does
// not simulate, the client cannot detect that it was wrong: write the component in a loop of ecs.Each, and raise the outcome
// there.
//
// # Outcomes of re-simulated ticks
//
// If a tick is simulated again, an outcome is the same as before if its type, subject and value are equal. Equal outcomes are
// counted. The subject compares by SpawnKey if it has one, and by NetID otherwise. The order of the calls does not matter,
// because storage order differs after a rollback.
//
// A changed value makes another outcome: the old one is withdrawn and the new one begins. So nobody sees A named as the killer
// while B gets the point. Put only the essential facts into the value, and no exact positions. Alternatively Handlers.Same
// decides which values are close enough; then the outcome continues, and Commit receives the last value.
//
// # Guarantees
//
//   - Begin, Commit and Cancel are called at most once each. For each Begin there is one Commit or one Cancel, at the latest when
//     the tick has passed the horizon.
//   - The committed outcomes are exactly those of the last simulation of their tick, except outcomes that the limit refused and
//     outcomes of a tick that was already final (Stats.Late). The latter happens on a client after the server stalled and
//     renumbered its inputs.
//   - An outcome that is raised and withdrawn between two calls of Settle reaches no handler.
//   - Handlers run only in Settle, in an order that depends on ticks, types, subjects and the calls of Raise.
//   - Memory is bounded by Config.Limit for each type. Once the log has grown to the traffic, nothing allocates.
//
// Lasting effects of a tick, such as a dead player, are state and belong in components, which a rewrite restores. An outcome is
// the news of them.
package outcome
