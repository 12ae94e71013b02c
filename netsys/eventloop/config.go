package eventloop

import (
	"errors"
	"fmt"
	"log/slog"
)

const (
	defaultQueue        = 1 << 14
	defaultKernelBuffer = 1 << 22
)

// ListenConfig configures a [Listener]. The zero value is what [Listen] uses.
type ListenConfig struct {
	// Queue bounds the datagrams that wait for a Poll; more are dropped and counted. 0 means 16,384, 25 MB
	// when full.
	Queue int

	// ReadBuffer and WriteBuffer are the sizes in bytes asked of the kernel for its two buffers, which may
	// give less. 0 means 4 MiB each.
	ReadBuffer, WriteBuffer int

	// Logger receives warnings and errors of the event loop. nil discards them.
	Logger *slog.Logger
}

// Validate returns an error for negative sizes.
func (c ListenConfig) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value int
	}{{"Queue", c.Queue}, {"ReadBuffer", c.ReadBuffer}, {"WriteBuffer", c.WriteBuffer}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("eventloop: ListenConfig.%s %d is negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// Listen is [ListenConfig.Listen] of the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}
