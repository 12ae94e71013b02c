// Package race tells tests whether the race detector watches them: it allocates, and takes ten
// times as long.
package race
