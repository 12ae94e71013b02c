// Package campaign plays whole random matches under every netcode model, and checks while they run and at their end that the
// netcode keeps its promises. It contains only tests.
//
// The seed decides everything in a match:
//
//   - the model and its policies, 10 to 128 ticks a second, WakeEvery, send rate and frame rate;
//   - links that lose, delay, repeat and reorder, or are dead for seconds; clients and servers that hang; clocks that drift;
//   - players who join late, leave, crash, return, log in from two machines, are refused, only watch, or have no view;
//   - entities that come and go in storms, change their components and their owners, and carry each other;
//   - interest in entities and in components, budgets, priorities, and what clients simulate of others;
//   - inputs, commands, claims of lag compensation, events, outcomes, predicted spawns, components that clients write;
//   - periods of rest.
//
// During the match no client may have an entity, a component or a value that it may not see; an owner may not lose what only
// owners have; and what a client can see may not disappear. At rest all must agree, and traffic must be small.
//
//	go test ./internal/campaign                                           a few seeds
//	TACTUS_SEEDS=1000 go test ./internal/campaign -timeout 2h             as many as you like
//	TACTUS_WITHOUT=hitch,interest go test ./internal/campaign -run …      to reduce a match that fails
//
// TestFingerprints plays some of these matches and compares every datagram with what it was, so that a change that only
// moves code proves that it changes nothing.
//
// A match that fails prints the command that repeats it and everything that was drawn for it, in one line. TACTUS_WITHOUT
// takes the names in that line. What is left happens as before, unless it depends on what is gone. A seed modulo six selects
// the model.
package campaign
