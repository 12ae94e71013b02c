// Package told tells whoever watches of changes, the newest of each key: who is slow misses what came between, and holds
// nobody up.
//
//   - Tell everybody: [Hub.Tell].
//   - Be told: [Hub.Watch].
package told
