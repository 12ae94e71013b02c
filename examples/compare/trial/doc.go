// Package trial plays the matches of the command compare: one world, one script of inputs and one set of links under
// different netcode models, each in virtual time on a network in memory. All figures are measured on running servers and
// clients.
//
//   - Play all matches: [Run], [Options].
//   - Read the results: [Results]; one figure of every peer: [Peers].
//   - The cost of rollback: [Isolated], [Steady]. The cost of LocalSync: [Mispredictions].
//   - The growth of the cost: [Point]. The cost of a bad link for each peer: [Spike].
//   - The six presets side by side: [Preset]. The winners of a duel: [Fairness].
package trial
