package manysockets

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tactusgo/tactus/netsys/websocket"
)

const (
	// MaxClients is the largest [Config.Clients]: more than a server has slots.
	MaxClients = 1 << 16

	defaultSockets = 1024
)

// Config configures a [Set] or a [Web]. Clients is required.
type Config struct {
	// Clients is the number of wires, 1 to [MaxClients].
	Clients int

	// Sockets is the maximum number of sockets. Default (0): 1,024.
	Sockets int
}

// sockets returns how many sockets there may be.
func (c Config) sockets() int {
	if c.Sockets == 0 {
		return defaultSockets
	}
	return c.Sockets
}

// oneEach returns an error if one socket per client exceeds the limit.
func (c Config) oneEach(server any) error {
	if c.Clients > c.sockets() {
		return fmt.Errorf("manysockets: %d clients to %v need a socket each, and Config.Sockets allows %d: raise it, or run fewer clients in this process", c.Clients, server, c.sockets())
	}
	return nil
}

// Web prepares to reach one server over WebSocket, given as a URL such as ws://127.0.0.1:7778, or "host:port". Nothing is
// looked up yet. Errors wrap [ErrAddress], say that there are more clients than sockets, or are the operating system's.
func (c Config) Web(to string) (*Web, error) {
	if !strings.Contains(to, "://") {
		to = "ws://" + to
	}
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	case u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "":
		return nil, fmt.Errorf("%w %q: write ws:// or wss:// and where the server is", ErrAddress, to)
	}
	if err := c.oneEach(to); err != nil {
		return nil, err
	}
	w := &Web{url: to, server: websocket.ServerOf(to), wires: make([]*webWire, c.Clients)}
	return w, w.fast.open(w)
}

// ErrAddress is wrapped by errors about an invalid server address.
var ErrAddress = errors.New("manysockets: bad address")

// resolve resolves a server, given as "host:port". It prefers IPv4 addresses.
func resolve(ctx context.Context, server string) (netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(server)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%w %q: %w", ErrAddress, server, err)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil || port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w %q: no port %q", ErrAddress, server, service)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(all) == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w %q: %w", ErrAddress, server, err)
	}
	chosen := all[0]
	for _, a := range all {
		if a = a.Unmap(); a.Is4() {
			chosen = a
			break
		}
	}
	return netip.AddrPortFrom(chosen.Unmap(), uint16(port)), nil
}

// Stats counts sockets, datagrams and system calls.
type Stats struct {
	// Sockets is the number of open sockets.
	Sockets int
	// Reads and Writes count the system calls on sockets, including those that read nothing. They are 0 on systems other than
	// Linux.
	Reads, Writes uint64
	// Unsent counts datagrams that the kernel refused or, over WebSocket, had no room for.
	Unsent uint64
	// Dropped counts arrivals lost because a receive buffer was full.
	Dropped uint64
}
