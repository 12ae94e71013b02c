// Package clock provides the measurements and the rate control for client clocks and input buffers.
//
//   - The share of lost packets, without outages: [Loss]. The number of buffered inputs that cover it: [Reserve].
//   - The minimum of a window without late outliers: [Lowest]; several minima: [Least].
//   - The server's tick, from the arrival times of messages, and the rate to follow it: [Server].
//   - Times and round trips in ticks: [Ticks].
//   - Run slightly fast or slow as the server requests: [Steering], at most by [MaxSteer].
//
// The package uses no packets and no worlds, and reads no clock.
package clock
