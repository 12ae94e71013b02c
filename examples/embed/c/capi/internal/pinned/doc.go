// Package pinned says, for tests, whether memory may be handed to C.
package pinned
