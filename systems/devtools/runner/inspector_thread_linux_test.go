package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of this thread: time in which others run is not in it.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
