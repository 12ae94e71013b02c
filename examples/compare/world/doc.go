// Package world has the game on which the command compare compares netcode models. Its players walk with some inertia, bump
// into each other, and shoot.
//
//   - The protocol and the rules: [Protocol], [Rules], [Input].
//   - Read a player: [Find], [Player]. The outcome of a shot: [Kill].
//   - Record the positions in every tick, including ticks that are simulated again: [Journal].
//
// Every rule changes only its own entity and reads only the state before the rule ran, so the result does not depend on the
// storage order. Walking, bumping and pulling the trigger are Simulate rules, which clients predict. Wounds, falls and gusts
// are Authority rules: only the server runs them, except under models in which every peer simulates everything.
package world
