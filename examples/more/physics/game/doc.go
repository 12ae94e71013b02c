// Package game is a yard of balls and crates. It shows how to use a library with its own state, the rigid-body library
// Chipmunk (github.com/jakecoffman/cp), in rules that are rolled back and simulated again.
//
// Rollback restores components but not a library's space, so a tick must be a function of components alone. Chipmunk keeps
// more than the positions and velocities in [Body]: for each pair of touching shapes, the impulses of the last step, with
// which it starts the next step; for each body, the remaining push out of other bodies; which bodies sleep; and a tree of
// boxes, which depends on its history and decides the order in which contacts are solved. None of this can be read from
// outside. So nothing stays in the space:
//
//   - Each tick puts all bodies into an empty space in the order of NetID, which is equal on every peer, steps once, and
//     removes the bodies. Therefore the tree is built in that order, and there are no old contacts.
//   - The library moves bodies before it searches for contacts. The game moves them afterwards with the library's own
//     function, which uses up the remaining push.
//   - No body sleeps. Instead a rule that reads only the body lets slow bodies rest.
//
// The price is the lost memory of contacts: a stack needs 30 iterations instead of 10, and the rule for slow bodies, to
// stand. A tick with 14 bodies takes some 55 µs. In return it is exact: server, clients and re-simulated ticks have the same
// bits. The command shows this by equal checksums, and by a hash that -force-rollback does not change. With -keep, bodies
// stay in the space. Then -force-rollback reports nearly every tick with a contact, and under Rollback the worlds diverge.
//
// Results are exact on one architecture only, because some processors fuse a multiplication and an addition. If players have
// different architectures, use a model that sends states.
package game
