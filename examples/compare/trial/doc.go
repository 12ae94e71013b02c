// Package trial plays the matches that compare compares: one world, one script of inputs and one set of links under
// different netcode models, each in virtual time on a network in memory. Whatever it says was counted on running
// servers and clients.
//
//   - Play all: [Run], [Options].
//   - Read what came of it: [Results]; a figure of each peer: [Peers].
//   - What rollback costs and LocalSync does not: [Isolated], [Steady]; what LocalSync costs: [Mispredictions].
//   - How that grows: [Point]. Whom a bad link concerns: [Spike].
//   - The six presets side by side: [Preset]. Who wins a duel: [Fairness].
package trial
