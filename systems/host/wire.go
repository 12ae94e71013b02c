package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Addresses that lead nowhere (RFC 6666): a browser tells no page whom it is connected to.
var (
	standIn = netip.MustParseAddrPort("[100::1]:1")
	local   = netip.MustParseAddrPort("[100::2]:2")
)

// ServerOf is the address that stands for a server which a host knows by "name:port": the address itself where it is one,
// or localhost, else one that stands for all names.
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
		return standIn
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}

// DefaultWaiting is how many datagrams wait for the next Advance where WireConfig.Waiting is 0.
const DefaultWaiting = 1024

// maxWaiting bounds WireConfig.Waiting: 1.5 KiB each.
const maxWaiting = 1 << 16

// WireConfig configures a [Wire].
type WireConfig struct {
	// Server is whom the wire leads to. Default (zero): an address that stands for any, as [ServerOf] gives for a name.
	Server netip.AddrPort
	// Out sends a datagram, which is valid during the call. An error means that it is lost. Required. It must not call
	// the host.
	Out func(datagram []byte) error
	// Waiting bounds the datagrams that wait for the next Advance; more are dropped and counted. Default (0): 1,024.
	Waiting int
}

// Validate reports what is wrong with c; it never changes it.
func (c WireConfig) Validate() error {
	switch {
	case c.Out == nil:
		return fmt.Errorf("%w: WireConfig.Out is nil: give the function that sends a datagram", ErrConfig)
	case c.Waiting < 0 || c.Waiting > maxWaiting:
		return fmt.Errorf("%w: WireConfig.Waiting %d is not between 1 and %d (0: %d)", ErrConfig, c.Waiting, maxWaiting, DefaultWaiting)
	}
	return nil
}

// Wire is a wire whose socket is the host's: what comes is pushed, what goes is handed out. It belongs to the goroutine of
// its [Host]; Push may be called from others.
type Wire struct {
	config WireConfig
	inbox  *netsys.Inbox
	closed bool
}

var _ netsys.Wire = (*Wire)(nil)

// NewWire makes a wire. The error is that of [WireConfig.Validate].
func NewWire(c WireConfig) (*Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if !c.Server.IsValid() {
		c.Server = standIn
	}
	return &Wire{config: c, inbox: netsys.NewInbox(cmp.Or(c.Waiting, DefaultWaiting))}, nil
}

// Push takes in a datagram that arrived at now, and copies it. What is longer than netsys.MaxDatagram is refused with
// netsys.ErrTooLarge, what comes after Close with netsys.ErrClosed; what there is no room for is dropped and counted.
func (w *Wire) Push(now time.Time, datagram []byte) error {
	switch {
	case w.closed:
		return netsys.ErrClosed
	case len(datagram) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	w.inbox.Put(w.config.Server, now, datagram)
	return nil
}

// Dropped is how many datagrams there was no room for.
func (w *Wire) Dropped() uint64 { return w.inbox.Dropped() }

// Poll implements [netsys.Wire].
func (w *Wire) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]: everything goes to the server.
func (w *Wire) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	switch {
	case w.closed:
		return netsys.ErrClosed
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	return w.config.Out(b)
}

// LocalAddr implements [netsys.Wire] with an address that only stands in for one.
func (w *Wire) LocalAddr() netip.AddrPort { return local }

// RemoteAddr is the server: pass it to [New].
func (w *Wire) RemoteAddr() netip.AddrPort { return w.config.Server }

// Closed reports whether nothing comes or goes any more: after Close, which the client calls when it has arrived in another
// room, too.
func (w *Wire) Closed() bool { return w.closed }

// Close implements [netsys.Wire].
func (w *Wire) Close() error {
	w.closed = true
	return nil
}
