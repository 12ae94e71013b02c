// Package realtime runs peers by the clock of the machine, which nothing else of the netcode reads.
//
//   - Run one: [Run]. Until it is where it should be: [Until].
package realtime
