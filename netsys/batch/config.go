package batch

import (
	"errors"
	"fmt"
)

const (
	defaultPollLimit    = 1 << 13
	defaultKernelBuffer = 1 << 22
)

// ListenConfig configures a [Listener]. [Listen] uses the zero value.
type ListenConfig struct {
	// PollLimit is the largest number of datagrams that one Poll delivers, rounded up to a multiple of 64; the rest wait in
	// the kernel for the next Poll. 0 means 8,192.
	PollLimit int

	// ReadBuffer and WriteBuffer are the requested sizes of the kernel's buffers in bytes. The kernel may grant less: see
	// [Stats]. 0 means 4 MiB each.
	ReadBuffer, WriteBuffer int
}

// Validate returns an error for negative sizes.
func (c ListenConfig) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value int
	}{{"PollLimit", c.PollLimit}, {"ReadBuffer", c.ReadBuffer}, {"WriteBuffer", c.WriteBuffer}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("batch: ListenConfig.%s %d is negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// Listen calls [ListenConfig.Listen] on the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

// Stats are the counters of a [Listener].
type Stats struct {
	// Received and Sent count datagrams.
	Received, Sent uint64
	// Reads and Writes count system calls, including calls that found nothing.
	Reads, Writes uint64
	// ReadErrors counts failed system calls, without calls on an empty socket.
	ReadErrors uint64
	// Full counts datagrams lost because the kernel's send buffer was full.
	Full uint64
	// Refused counts datagrams that the kernel refused for any other reason, such as a missing route.
	Refused uint64
	// ReadBuffer and WriteBuffer are the sizes that the kernel granted, in bytes.
	ReadBuffer, WriteBuffer int
}
