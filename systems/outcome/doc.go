// Package outcome is for what cannot be taken back: a kill that is counted, a goal
// that is announced, a sound. A tick that is simulated may be simulated again with
// other inputs, or turn out mispredicted; so what it does is provisional at first. An
// outcome is raised in Simulate, on any peer and under any model, and the game hears
// of it three times at most: Begin when it seems to have happened, and then either
// Commit, when no rewrite can reach its tick any more, or Cancel.
//
//   - Make a world's log: [New], [Config]. Without one [Raise] does nothing.
//   - Say what is done about a type of outcomes: [Handle], [Handlers].
//   - Raise one in a system of Simulate: [Raise].
//   - Read what a handler gets: [Outcome], [Subject].
//   - Count them, and what the log refused: [Log.Stats].
//   - Step a world under a model, as below: [Log.Rewind], [Log.Start], [Log.Done], [Log.Settle], [Log.Horizon].
//
// # What a model does
//
// Around each run of Simulate, the first one of a tick and each later one:
//
//	log.Start(tick)
//	w.Netcode().SimulateStage().Run(w)
//	log.Done()
//
// Before it goes back to a tick, log.Rewind(tick). At the end of each step, when all is
// simulated, log.Settle(horizon), the first tick that it may still go back to:
//
//	a server that only goes forward   the tick that comes next: what began is committed in the same call
//	a server that rewinds, rollback   the first tick for which a player's input is still outstanding, or the
//	                                  first in the window, whichever is later; policy.Policies.FirstOpen says
//	lockstep                          the tick that comes next
//	a client of a forward server      what follows the last tick that the server has confirmed of each entity
//	                                  that the client simulates; it counts in input sequences, because the tick
//	                                  of an input can shift
//	a client of a server that rewinds the same, once it has left the window there: until then the server can
//	                                  rewrite what it has confirmed
//
// A client whose prediction was wrong at the very tick that the server has confirmed
// does not simulate the ticks before it again. To withdraw what those raised, it calls
// Rewind of the first of them, then Settle; to believe it, Settle alone. systems.Client
// withdraws, so that clients commit nothing that the server does not. It follows that
// after a correction something that did happen can be withdrawn; its lasting effects are in
// the state all the same.
//
// A state confirms outcomes only as far as they show in it. Let what raises one leave a
// trace in a predicted component: a count of shots, a score. Where that is one of an entity
// that is gone, or that this client does not simulate, nothing can tell that the client was
// wrong: so write the trace in a walk of ecs.Each, and raise the outcome where it is written.
//
// # What is the same outcome
//
// When a tick is simulated again, an outcome that it raises is one that it raised
// before if type, subject and value are the same; of several alike, each is one. The
// subject counts by its NetID, or by its ecs.SpawnKey if it has one, as that is known
// first. The order of the calls does not count, as the order in which entities are
// stored is not the same after a rollback.
//
// A value that changed is another outcome: the old one is withdrawn and the new one
// begins, so that nobody sees A named as the killer and B given the point. So keep in the
// value what matters: who and what, not where to the millimetre. Or let Handlers.Same
// say what is close enough; then the outcome goes on and Commit gets the last value.
//
// # What holds
//
//   - Begin, Commit and Cancel are called once each at most; Commit and Cancel only after Begin, and one of
//     them for each Begin, when its tick has passed the horizon at the latest.
//   - What is committed is what the last simulation of its tick raised, whatever was believed before; but for
//     what the limit refused, and what a tick raised that was final: Stats.Late. That happens on a client whose
//     server has counted inputs anew after a stall.
//   - What was raised and withdrawn again between two calls of Settle is never heard of.
//   - Handlers run in Settle and nowhere else, in an order that follows from ticks, types, subjects and the
//     calls of Raise.
//   - Memory is bounded by Config.Limit for each type. Once the log has grown to the traffic, nothing
//     allocates.
//
// Lasting effects of a tick, a dead player say, are state and belong in components, which
// a rewrite changes back. An outcome is the news of it.
package outcome
