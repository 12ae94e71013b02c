// Package clock measures what clocks and buffers are set by, and sets a client's clock.
//
//   - How large a share of packets is lost, outages apart: [Loss]; how many inputs in stock cover that: [Reserve].
//   - The least of a window of values, without those that are later than all else: [Lowest]; several of them: [Least].
//   - Where the server is, by when its messages came, and how fast to go to be there: [Server].
//   - Times and round trips in ticks: [Ticks].
//   - Run a little fast or slow, as the server asks: [Steering]; by how much at most: [MaxSteer].
//
// It knows no packets and no worlds, and reads no time but what it is told.
package clock
