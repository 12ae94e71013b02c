// Package window remembers the newest packets by number, in memory that follows from how many of them are still of
// interest: [Window].
package window
