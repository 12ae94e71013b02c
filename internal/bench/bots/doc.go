// Package bots is how the players of the benches' swarms think: as those of examples/arena do.
//
//   - Let the players of the reference workload walk: [Walk].
package bots
