// Package heapuse measures, for tests, how much memory in use was allocated in calls of certain functions.
//
//   - Start before the first allocation that should count: [Begin].
//   - Read the bytes in use, by function: [Profile.Under].
package heapuse
