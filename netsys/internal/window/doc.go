// Package window keeps an entry for each of the newest packets, by sequence number, in memory proportional to the packets
// in flight: [Window].
package window
