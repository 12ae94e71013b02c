package streams

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// The times between two attempts of Accept.
const (
	minAcceptWait = 5 * time.Millisecond
	maxAcceptWait = 250 * time.Millisecond
)

// Accept returns the next connection of a listener. An accept can fail although the listener works: the process or the system
// has no file descriptor or no memory to spare, or the error is one of the network that the connection had. Accept then calls
// failed with the error, waits for 5 to 250 ms and tries again; the connections wait in the kernel. It returns an error once
// the listener is closed or can accept no more.
func Accept(l net.Listener, failed func(error)) (net.Conn, error) {
	for wait := minAcceptWait; ; wait = min(2*wait, maxAcceptWait) {
		c, err := l.Accept()
		if err == nil || listenerEnded(err) {
			return c, err
		}
		failed(err)
		time.Sleep(wait)
	}
}

// listenerEnded reports whether an error of accept concerns the listener, and not a connection or the resources of the system.
func listenerEnded(err error) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	return !ok || errno == syscall.EBADF || errno == syscall.EINVAL || errno == syscall.ENOTSOCK || errno == syscall.EFAULT
}
