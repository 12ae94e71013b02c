// Package fleettest tests directories of fleets, and provides one with faults.
//
//   - Test your own fleet.Directory: [Directory].
//   - Test code that uses a directory: [Faulty] has faults by a seed and in virtual time.
package fleettest
