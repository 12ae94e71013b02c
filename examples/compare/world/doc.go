// Package world is the world that compare compares netcode models on: players who walk with some inertia, bump into each
// other, and shoot.
//
//   - What travels and the rules: [Protocol], [Rules], [Input].
//   - Who plays: [Player], [Find].
//   - Read what became of a player: [Find], [Player], [Kill].
//   - Note every tick, also those that are simulated again: [Journal].
//
// Every rule changes its own entity only, from what was true before the rule ran, so nothing depends on the order in
// which entities are stored. Walking, bumping and pulling the trigger are Simulate: whoever predicts an entity predicts
// these. Wounds, falls and gusts are Authority: under a model in which everybody simulates everything they happen
// everywhere, under the others on the server alone.
package world
