// Package game is a yard of balls and crates: how to put a library that keeps state of its own, the rigid-body library
// Chipmunk (github.com/jakecoffman/cp), into rules that are rolled back and simulated again.
//
// Rollback restores components and knows nothing of a library's space, so a tick has to be a function of components alone: either all
// that the library keeps is saved and restored with them, or nothing is left in it. Chipmunk keeps more than places and speeds, in
// [Body]: for each pair of shapes that touch, the impulses that held them apart in the last step, with which it begins the next; for
// each body, by how much it is still to be pushed out of another; who sleeps; and a tree of boxes whose shape is its history, and
// decides in which order contacts are solved. None of that can be read from outside. So nothing is left in it:
//
//   - Each tick puts all bodies into an empty space, in order of NetID, which is the same on every peer, steps once, and takes
//     them out again. Then the tree is built in that order, and there are no old contacts.
//   - The library moves bodies before it looks for contacts. Here they are moved behind that, by the library's own function, which uses up
//     the push that would have been kept.
//   - Nobody sleeps. Who is slow rests, which is a rule that looks at the body alone.
//
// The price is the memory of contacts: a stack needs 30 iterations in place of 10, and the resting, to stand. A tick with 14 bodies
// takes some 55 µs. In return it is exact: server and clients have the same bits, and so has a tick that is simulated again. The
// command shows it by checksums that agree, and by the hash that stays with -force-rollback. With -keep bodies stay in the space; then
// -force-rollback finds nearly every tick in which something touches, and under Rollback the worlds drift apart.
//
// Exact means on one architecture: some processors round a multiplication and an addition at once. Where players have
// different ones, take a model that sends states.
package game
