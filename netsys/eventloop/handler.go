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

// handler is what gnet calls. It keeps no Conn: for UDP each lives during one call only.
type handler struct {
	gnet.BuiltinEventEngine

	listener *Listener
	inbox    *netsys.Inbox
	config   ListenConfig
	udp, tcp string // addresses as gnet knows them; "" when not served
	started  chan struct{}
	failed   error
}

// OnBoot runs after the sockets are bound and before the loop starts.
func (h *handler) OnBoot(e gnet.Engine) gnet.Action {
	h.listener.engine = e
	if h.udp != "" {
		h.failed = h.adoptUDP(e)
	}
	if h.tcp != "" && h.failed == nil {
		h.failed = adoptTCP(e, h.tcp)
	}
	if h.failed != nil {
		return gnet.Shutdown
	}
	return gnet.None
}

// adoptUDP takes a descriptor for sending, ends the sharing of the port, and reads the address that is in use;
// gnet itself reports port 0 as 0.
func (h *handler) adoptUDP(e gnet.Engine) (err error) {
	l := h.listener
	if l.fd, err = e.DupListener("udp", h.udp); err != nil {
		l.fd = -1
		return err
	}
	if err := setSharing(l.fd, false); err != nil {
		return err
	}
	// What TCP needs to start again beside connections that linger would let others share a UDP port.
	if err := unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 0); err != nil {
		return err
	}
	// Smaller buffers than asked for lose datagrams earlier, nothing else.
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
	if l.gather != nil {
		return l.gather.bind(l.fd)
	}
	return nil
}

// adoptTCP ends the sharing of the port, through a duplicate of the socket.
func adoptTCP(e gnet.Engine, addr string) error {
	fd, err := e.DupListener("tcp", addr)
	if err != nil {
		return err
	}
	err = setSharing(fd, false)
	_ = unix.Close(fd)
	return err
}

// OnTick runs when the loop runs, for which gnet has no other sign, and then as often as connections are to be
// looked after.
func (h *handler) OnTick() (time.Duration, gnet.Action) {
	select {
	case <-h.started:
	default:
		close(h.started)
	}
	if web := h.listener.web; web != nil {
		web.tick(time.Now())
		return webSweep, gnet.None
	}
	return 1 << 62, gnet.None
}

// OnOpen takes in a TCP connection.
func (h *handler) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	conn := h.listener.web.open(c)
	if conn == nil {
		return nil, gnet.Close
	}
	c.SetContext(conn)
	return nil, gnet.None
}

// OnClose runs before gnet closes a descriptor.
func (h *handler) OnClose(c gnet.Conn, _ error) gnet.Action {
	if conn, ok := c.Context().(*webConn); ok {
		h.listener.web.leave(conn)
	}
	return gnet.None
}

// OnTraffic copies a datagram, or the messages of a connection. The bytes of a datagram are the loop's read
// buffer and its zone is a string whose memory gnet recycles, so nothing of c may outlive the call; AddrPort
// copies the zone.
func (h *handler) OnTraffic(c gnet.Conn) gnet.Action {
	at := time.Now()
	if conn, ok := c.Context().(*webConn); ok {
		web := h.listener.web
		if action := web.traffic(c, conn, at, &web.loop); action != gnet.None || !web.reader.keep(c, conn) {
			return action
		}
		c.SetContext(nil)
		return gnet.Close // its descriptor, of which there is another one
	}
	b, err := c.Next(-1)
	from, ok := c.RemoteAddr().(*net.UDPAddr)
	h.listener.wakes.Add(1)
	if err == nil && ok {
		h.inbox.Put(from.AddrPort(), at, b)
		if g := h.listener.gather; g != nil {
			g.rest(h.listener.fd, at)
		}
	}
	return gnet.None
}
