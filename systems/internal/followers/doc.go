// Package followers is who follows what is simulated, and simulated again: the events of a game and its outcomes.
//
//   - Make the log of outcomes of a world: [NewOutcomes].
//   - List who follows: [List]; keep both, and tell them of inputs that are simulated: [Followers].
//   - Follow ticks as a timeline simulates them: [Unsettled].
package followers
