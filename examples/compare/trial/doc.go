// Package trial plays the matches of the command compare: one world, one script of inputs and one set of links under
// different netcode models, each in virtual time on a network in memory. All figures are measured on running servers and
// clients.
//
//   - Play all matches: [Run], [Options].
//   - Read the results: [Results]; one figure of every peer: [Peers].
//   - The cost of a change of input: [Isolated], [Steady]. The six presets side by side: [Preset].
package trial
