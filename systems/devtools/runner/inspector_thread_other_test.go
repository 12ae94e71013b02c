//go:build !linux

package runner

import "time"

// threadTime returns the time: that of a thread is not to be had everywhere.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
