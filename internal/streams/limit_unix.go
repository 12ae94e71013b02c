//go:build unix

package streams

import "syscall"

// fileLimit returns how many files the process may have open. The Go runtime has already raised the soft limit to the hard
// limit.
func fileLimit() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return noLimit
	}
	return int(min(l.Cur, noLimit))
}
