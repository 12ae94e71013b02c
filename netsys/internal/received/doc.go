// Package received remembers which packets of a peer arrived, in memory that follows from how many may still come:
// [History].
package received
