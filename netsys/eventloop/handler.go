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

// handler receives gnet's calls. It stores no gnet.Conn, because the Conn of a UDP datagram is valid during one call only.
type handler struct {
	gnet.BuiltinEventEngine

	listener *Listener
	inbox    *netsys.Inbox
	config   ListenConfig
	udp, tcp string // addresses in gnet's form; "" if not served
	started  chan struct{}
	failed   error
}

// OnBoot implements [gnet.EventHandler]. gnet calls it after the sockets are bound and before the loop starts.
func (h *handler) OnBoot(e gnet.Engine) gnet.Action {
	h.listener.engine = e
	if h.udp != "" {
		h.failed = h.configureUDP(e)
	}
	if h.tcp != "" && h.failed == nil {
		h.failed = configureTCP(e, h.tcp)
	}
	if h.failed != nil {
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

// configureTCP forbids other sockets to bind the port, through a duplicate of gnet's socket.
func configureTCP(e gnet.Engine, addr string) error {
	fd, err := e.DupListener("tcp", addr)
	if err != nil {
		return err
	}
	err = setSharing(fd, false)
	_ = unix.Close(fd)
	return err
}

// OnTick implements [gnet.EventHandler]. Its first call shows that the loop is running; gnet has no other callback for that.
// Further calls sweep the WebSocket connections.
func (h *handler) OnTick() (time.Duration, gnet.Action) {
	select {
	case <-h.started:
	default:
		close(h.started)
	}
	if web := h.listener.web; web != nil {
		web.sweep(time.Now())
		return sweepInterval, gnet.None
	}
	return 1 << 62, gnet.None
}

// OnOpen implements [gnet.EventHandler]. It accepts a TCP connection.
func (h *handler) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	conn := h.listener.web.accept(c)
	if conn == nil {
		return nil, gnet.Close
	}
	c.SetContext(conn)
	return nil, gnet.None
}

// OnClose implements [gnet.EventHandler]. gnet calls it before it closes a descriptor.
func (h *handler) OnClose(c gnet.Conn, _ error) gnet.Action {
	if conn, ok := c.Context().(*webConn); ok {
		h.listener.web.remove(conn)
	}
	return gnet.None
}

// OnTraffic implements [gnet.EventHandler]. It copies a datagram, or the messages of a connection, into the inbox. The bytes of
// a datagram are in the loop's read buffer, and gnet recycles the memory of its zone. Nothing of c may therefore be used after
// the call. AddrPort copies the zone.
func (h *handler) OnTraffic(c gnet.Conn) gnet.Action {
	at := time.Now()
	if conn, ok := c.Context().(*webConn); ok {
		web := h.listener.web
		if action := web.receive(c, conn, at, &web.frames); action != gnet.None || !web.reader.adopt(c, conn) {
			return action
		}
		c.SetContext(nil)
		return gnet.Close // gnet closes its descriptor; the pollReader has a duplicate
	}
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
