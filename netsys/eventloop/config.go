package eventloop

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	defaultQueue        = 1 << 14
	defaultKernelBuffer = 1 << 22
	defaultCoalesce     = 4 * time.Millisecond
	maxCoalesce         = 100 * time.Millisecond
)

// ListenConfig configures a [Listener]. [Listen] uses the zero value.
type ListenConfig struct {
	// Queue bounds the datagrams that wait for a Poll outside of the kernel. Further datagrams are dropped and counted.
	// 0 means 16,384 (25 MB when full).
	Queue int

	// ReadBuffer and WriteBuffer are the requested sizes of the kernel's two buffers in bytes. The kernel may give less.
	// 0 means 4 MiB each.
	ReadBuffer, WriteBuffer int

	// Coalesce is how long the event loop sleeps after a UDP datagram has woken it up, so that further datagrams collect in
	// the kernel. It goes back to sleep as long as somebody polls: see the package documentation. This delays no UDP datagram,
	// because Poll reads the datagrams in the kernel. It does not change the times of arrival, which the kernel stamps. 0
	// means 4 ms. A negative value makes the loop wake up for each datagram. More than 100 ms is an error. Coalesce has an effect on Linux only.
	Coalesce time.Duration

	// Logger receives the warnings and errors of the event loop. nil discards them.
	Logger *slog.Logger

	// WebSocket configures WebSocket connections. They are served in addition to UDP, or alone if Listen gets no address. The
	// zero value serves no WebSocket.
	WebSocket WebSocketConfig
}

// Validate returns an error for negative sizes, for a Coalesce of more than 100 ms, and the errors of
// [WebSocketConfig.Validate].
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

// Listen calls [ListenConfig.Listen] of the zero value.
func Listen(addr string) (*Listener, error) { return ListenConfig{}.Listen(addr) }

// ListenWebSocket serves WebSocket without UDP at an address, with the defaults of [WebSocketConfig]. [ListenBoth] serves both.
func ListenWebSocket(addr string) (*Listener, error) {
	if addr == "" {
		return nil, errors.New(`eventloop: ListenWebSocket "": the address has no port; use ":0" for any free port`)
	}
	return ListenConfig{WebSocket: WebSocketConfig{Addr: addr}}.Listen("")
}

// ListenBoth serves UDP at addr and WebSocket at webSocketAddr. hosts are the names under which browsers may address the
// server, in addition to localhost and IP addresses: see [WebSocketConfig].Hosts. The entry "null" in hosts is the origin of
// pages in sandboxed frames, and sets [WebSocketConfig].Sandboxed.
func ListenBoth(addr, webSocketAddr string, hosts []string) (*Listener, error) {
	names := slices.DeleteFunc(slices.Clone(hosts), func(host string) bool { return host == hostname.Null })
	return ListenConfig{WebSocket: WebSocketConfig{Addr: webSocketAddr, Hosts: names, Sandboxed: len(names) < len(hosts)}}.Listen(addr)
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
