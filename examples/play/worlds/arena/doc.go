// Package arena draws the arena and plays in it: a field with guns, seen from above.
package arena
