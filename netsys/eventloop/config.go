package eventloop

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	defaultQueue        = 1 << 14
	defaultKernelBuffer = 1 << 22
	// Beside WebSocket it is shorter, since the loop lets no connection begin while it sleeps.
	defaultCoalesce    = 4 * time.Millisecond
	defaultCoalesceWeb = time.Millisecond
	maxCoalesce        = 100 * time.Millisecond
)

// ListenConfig configures a [Listener]. The zero value is what [Listen] uses.
type ListenConfig struct {
	// Queue bounds the datagrams that wait for a Poll, outside of the kernel; more are dropped and counted.
	// 0 means 16,384, 25 MB when full.
	Queue int

	// ReadBuffer and WriteBuffer are the sizes in bytes asked of the kernel for its two buffers, which may
	// give less. 0 means 4 MiB each.
	ReadBuffer, WriteBuffer int

	// Coalesce is how long the event loop leaves UDP datagrams in the kernel after it woke up for one, and as long as
	// somebody polls, so that it wakes up once for many; see the package's documentation for what that saves. It delays no UDP datagram to who
	// polls, because Poll takes in what lies in the kernel, and not its time of arrival, which the kernel stamps;
	// WebSocket connections that begin wait as long. 0 means 4 ms, or 1 ms when WebSocket is served too. Negative means that the
	// loop wakes up for each datagram, as gnet does by itself. More than 100 ms is refused. It has an effect on
	// Linux only.
	Coalesce time.Duration
	// Logger receives warnings and errors of the event loop. nil discards them.
	Logger *slog.Logger

	// WebSocket serves WebSocket connections too, or alone when Listen gets no address. Its zero value serves
	// none.
	WebSocket WebSocketConfig
}

// Validate returns an error for negative sizes, for a Coalesce of more than 100 ms, and for what [WebSocketConfig.Validate] rejects.
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
	if c.Coalesce > maxCoalesce {
		errs = append(errs, fmt.Errorf("eventloop: ListenConfig.Coalesce %v is more than %v", c.Coalesce, maxCoalesce))
	}
	return errors.Join(append(errs, c.WebSocket.Validate())...)
}

// coalesce is how long the loop sleeps.
func (c ListenConfig) coalesce() time.Duration {
	if c.WebSocket.Addr != "" {
		return orDefault(c.Coalesce, defaultCoalesceWeb)
	}
	return orDefault(c.Coalesce, defaultCoalesce)
}

// Listen is [ListenConfig.Listen] of the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

// ListenWebSocket serves WebSocket connections at an address, and no UDP, with the defaults of
// [WebSocketConfig]. For both in one wire there is [ListenBoth].
func ListenWebSocket(addr string) (*Listener, error) {
	if addr == "" {
		return nil, errors.New(`eventloop: ListenWebSocket "": address without a port; ":0" takes a free one`)
	}
	return ListenConfig{WebSocket: WebSocketConfig{Addr: addr}}.Listen("")
}

// ListenBoth serves UDP at an address and WebSocket connections at another, in one wire. Browsers may ask for the latter
// by names of the host, beside localhost and addresses: see [WebSocketConfig].
func ListenBoth(addr, socket string, names []string) (*Listener, error) {
	return ListenConfig{WebSocket: WebSocketConfig{Addr: socket, Hosts: names}}.Listen(addr)
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
