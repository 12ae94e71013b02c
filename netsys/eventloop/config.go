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

	// WebSocket serves WebSocket connections too, or alone when Listen gets no address. Its zero value serves
	// none.
	WebSocket WebSocketConfig
}

// Validate returns an error for negative sizes and for what [WebSocketConfig.Validate] rejects.
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
	return errors.Join(append(errs, c.WebSocket.Validate())...)
}

// Listen is [ListenConfig.Listen] of the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

// ListenWebSocket serves WebSocket connections at an address, and no UDP, with the defaults of
// [WebSocketConfig]. For both in one wire, set [ListenConfig.WebSocket] and call [ListenConfig.Listen].
func ListenWebSocket(addr string) (*Listener, error) {
	if addr == "" {
		return nil, errors.New(`eventloop: ListenWebSocket "": address without a port; ":0" takes a free one`)
	}
	return ListenConfig{WebSocket: WebSocketConfig{Addr: addr}}.Listen("")
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
