//go:build unix

package httpserve

import "syscall"

// descriptors returns how many file descriptors the process may have.
func descriptors() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 2 * maxConnections
	}
	return int(min(l.Cur, 2*maxConnections))
}
