// Package campaign plays random matches under every netcode model. It checks the guarantees of the netcode during and after each
// match. It contains only tests.
//
// The seed decides everything in a match:
//
//   - the model and its policies, 10 to 128 ticks a second, WakeEvery, send rate and frame rate;
//   - links with loss, delay, duplicates and reordering, or without any traffic for seconds; clients and servers that stall;
//     clocks that drift or are set; links with a small MTU;
//   - a server and clients that are suspended for ten minutes to a day, together or one alone;
//   - players who join late, leave, crash, return, log in from two machines, are refused, spectate, or have no view;
//   - entities that spawn and despawn in large numbers, change their components and owners, and carry each other;
//   - interest in entities and in components, budgets, priorities, and the entities of others that clients simulate;
//   - players whose owner state needs several datagrams;
//   - inputs, commands, claims of lag compensation, events, outcomes, predicted spawns, components that clients write;
//   - periods of rest.
//
// During the match no client may have an entity, a component or a value that it may not see. Owners must keep their owner-only
// components. Visible entities must not disappear. No predicted spawn may exist twice, and an event must agree with the world of
// the client that handles it. At rest, all peers must agree and traffic must be small.
//
//	go test ./internal/campaign                                           a few seeds
//	TACTUS_SEEDS=1000 go test ./internal/campaign -timeout 2h             1000 seeds
//	TACTUS_WITHOUT=hitch,interest go test ./internal/campaign -run …      to reduce a match that fails
//
// TestFingerprints plays some of these matches and compares a hash of all datagrams with the recorded one. It shows that a
// change does not alter the traffic.
//
// A match that fails prints one line with the command that repeats it and with everything that the seed decided.
// TACTUS_WITHOUT disables the features that are named in that line. The rest of the match stays the same, unless it depends on
// a disabled feature. The seed modulo six selects the model.
package campaign
