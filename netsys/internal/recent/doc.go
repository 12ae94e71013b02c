// Package recent keeps figures of the last 10 s in buckets of half a second, so that they move in small steps, cost a
// few additions to read, and need no memory of single packets.
package recent
