//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"net"
	"net/netip"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// handler receives gnet's calls for the UDP socket. It stores no gnet.Conn, because the Conn of a UDP datagram is valid during one call only.
type handler struct {
	gnet.BuiltinEventEngine

	listener *Listener
	inbox    *netsys.Inbox
	config   ListenConfig
	udp      string // the address in gnet's form
	started  chan struct{}
	failed   error
}

// OnBoot implements [gnet.EventHandler]. gnet calls it after the socket is bound and before the loop starts.
func (h *handler) OnBoot(e gnet.Engine) gnet.Action {
	h.listener.engine = e
	if h.failed = h.configureUDP(e); h.failed != nil {
		return gnet.Shutdown
	}
	return gnet.None
}

// configureUDP gets a descriptor for sending, forbids other sockets to bind the port, and reads the bound address. gnet itself
// reports port 0 as 0.
func (h *handler) configureUDP(e gnet.Engine) (err error) {
	l := h.listener
	if l.fd, err = e.DupListener("udp", h.udp); err != nil {
		l.fd = -1
		return err
	}
	if err := setSharing(l.fd, false); err != nil {
		return err
	}
	// gnet sets SO_REUSEADDR for TCP, which may listen again while old connections linger. For UDP it would let other sockets
	// share the port.
	if err := unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 0); err != nil {
		return err
	}
	// If the buffers are smaller than requested, datagrams are lost earlier.
	setBuffers(l.fd, orDefault(h.config.ReadBuffer, defaultKernelBuffer), orDefault(h.config.WriteBuffer, defaultKernelBuffer))
	name, err := unix.Getsockname(l.fd)
	if err != nil {
		return err
	}
	switch sa := name.(type) {
	case *unix.SockaddrInet4:
		l.local = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		l.local = netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
		l.out.V6 = true
	}
	if l.udpReader != nil {
		return l.udpReader.prepare(l.fd)
	}
	return nil
}

// OnTick implements [gnet.EventHandler]. Its first call shows that the loop is running; gnet has no other callback for that.
func (h *handler) OnTick() (time.Duration, gnet.Action) {
	close(h.started)
	return 1 << 62, gnet.None
}

// OnTraffic implements [gnet.EventHandler]. It copies a datagram into the inbox. Its bytes are in the loop's read buffer, and gnet
// recycles the memory of its zone. Nothing of c may therefore be used after the call. AddrPort copies the zone.
func (h *handler) OnTraffic(c gnet.Conn) gnet.Action {
	at := time.Now()
	b, err := c.Next(-1)
	from, ok := c.RemoteAddr().(*net.UDPAddr)
	h.listener.wakeUps.Add(1)
	if err == nil && ok {
		h.inbox.Put(from.AddrPort(), at, b)
		if r := h.listener.udpReader; r != nil {
			r.suspendLoop(h.listener.fd, at)
		}
	}
	return gnet.None
}
