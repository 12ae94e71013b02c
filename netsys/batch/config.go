package batch

import (
	"errors"
	"fmt"
)

const (
	defaultPollLimit    = 1 << 13
	defaultKernelBuffer = 1 << 22
)

// ListenConfig configures a [Listener]. The zero value is what [Listen] uses.
type ListenConfig struct {
	// PollLimit bounds the datagrams that one Poll delivers, rounded up to a multiple of 64; more wait in the
	// kernel for the next Poll. 0 means 8,192.
	PollLimit int

	// ReadBuffer and WriteBuffer are the sizes in bytes asked of the kernel for its two buffers, which may
	// give less: see [Stats]. 0 means 4 MiB each.
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

// Listen is [ListenConfig.Listen] of the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

// Stats counts what a [Listener] did.
type Stats struct {
	// Received and Sent are the datagrams that passed.
	Received, Sent uint64
	// Reads and Writes are the system calls that this took, those included that found nothing.
	Reads, Writes uint64
	// ReadErrors is the system calls that failed for another reason than that nothing had arrived.
	ReadErrors uint64
	// Full is the datagrams not sent because the kernel's send buffer had no room.
	Full uint64
	// Refused is the datagrams that the kernel would not send for another reason, such as no route.
	Refused uint64
	// ReadBuffer and WriteBuffer are the bytes that the kernel gave.
	ReadBuffer, WriteBuffer int
}
