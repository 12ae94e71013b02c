package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Addresses of the discard-only range (RFC 6666). A browser does not reveal the address that a page is connected to.
var (
	standInAddr  = netip.MustParseAddrPort("[100::1]:1")
	localStandIn = netip.MustParseAddrPort("[100::2]:2")
)

// ServerOf returns an address for a server given as "name:port". It returns the IP address if name is one, and 127.0.0.1
// for localhost. All other names share one stand-in address.
func ServerOf(name string) netip.AddrPort {
	host, port := name, "80"
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		host, port = name[:i], name[i+1:]
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	n, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil || n == 0 || addr.IsUnspecified() {
		return standInAddr
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}

// DefaultWaiting is the number of datagrams that can wait for the next Advance if WireConfig.Waiting is 0.
const DefaultWaiting = 1024

// maxWaiting is the largest WireConfig.Waiting. A waiting datagram takes 1.5 KiB.
const maxWaiting = 1 << 16

// WireConfig configures a [Wire].
type WireConfig struct {
	// Server is the address of the other end. Default (zero): the stand-in address of [ServerOf].
	Server netip.AddrPort
	// Out sends a datagram, which is valid during the call. If it returns an error, the datagram is lost. Out must not call
	// the host. Required.
	Out func(datagram []byte) error
	// Waiting is the number of datagrams that can wait for the next Advance. Further datagrams are dropped and counted.
	// Default (0): 1,024.
	Waiting int
}

// Validate returns an error that describes what is wrong with c. It never changes c.
func (c WireConfig) Validate() error {
	switch {
	case c.Out == nil:
		return fmt.Errorf("%w: WireConfig.Out is nil: set it to the function that sends a datagram", ErrConfig)
	case c.Waiting < 0 || c.Waiting > maxWaiting:
		return fmt.Errorf("%w: WireConfig.Waiting %d is not between 1 and %d (0: %d)", ErrConfig, c.Waiting, maxWaiting, DefaultWaiting)
	}
	return nil
}

// Wire is a datagram transport over the host's own socket: the host passes received datagrams to Push, and Out sends the
// others. A Wire belongs to the goroutine of its [Host]. Only Push may be called from others.
type Wire struct {
	config WireConfig
	inbox  *netsys.Inbox
	closed atomic.Bool
}

var _ netsys.Wire = (*Wire)(nil)

// NewWire creates a wire. The error comes from [WireConfig.Validate].
func NewWire(c WireConfig) (*Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if !c.Server.IsValid() {
		c.Server = standInAddr
	}
	return &Wire{config: c, inbox: netsys.NewInbox(cmp.Or(c.Waiting, DefaultWaiting))}, nil
}

// Push copies a datagram that arrived at now into the queue for the next Advance. It returns netsys.ErrTooLarge for a
// datagram longer than netsys.MaxDatagram, and netsys.ErrClosed after Close. If the queue is full, Push drops and counts
// the datagram.
func (w *Wire) Push(now time.Time, datagram []byte) error {
	switch {
	case w.closed.Load():
		return netsys.ErrClosed
	case len(datagram) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	w.inbox.Put(w.config.Server, now, datagram)
	return nil
}

// Dropped returns the number of datagrams that the full queue dropped.
func (w *Wire) Dropped() uint64 { return w.inbox.Dropped() }

// Poll implements [netsys.Wire].
func (w *Wire) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It ignores the address: every datagram goes to the server.
func (w *Wire) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	switch {
	case w.closed.Load():
		return netsys.ErrClosed
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	return w.config.Out(b)
}

// LocalAddr implements [netsys.Wire] with a stand-in address.
func (w *Wire) LocalAddr() netip.AddrPort { return localStandIn }

// RemoteAddr returns the address of the server. Pass it to [New].
func (w *Wire) RemoteAddr() netip.AddrPort { return w.config.Server }

// Closed reports whether the wire is closed: by Close, or by the client after it has moved to another room.
func (w *Wire) Closed() bool { return w.closed.Load() }

// Close implements [netsys.Wire].
func (w *Wire) Close() error {
	w.closed.Store(true)
	return nil
}
