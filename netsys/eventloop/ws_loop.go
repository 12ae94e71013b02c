//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/streams"
)

// webLoop accepts the WebSocket connections of a listener, and owns the event loop that reads each of them until its first valid
// message. gnet's own acceptor would end the loop, and all connections with it, at the first moment without a free file
// descriptor.
type webLoop struct {
	gnet.BuiltinEventEngine

	tcp     net.Listener
	web     *connections
	client  *gnet.Client
	release func() // gives the reserved file descriptors back

	// gnet reports the end of a client's loop only to its connections. The loop has one end of this pair as a connection.
	lifeline  [2]net.Conn
	loopEnded chan struct{}

	closing   chan struct{} // closed to stop accepting
	accepting chan struct{} // closed when no connection is accepted any more
	failed    func(error)   // called if the loop or the listening socket fails
}

// listenWeb binds a TCP address and starts to serve it.
func listenWeb(addr string, web *connections, failed func(error)) (_ *webLoop, err error) {
	release, limit, ok := streams.Reserve(web.config.Connections)
	if !ok {
		return nil, fileLimitError(web.config.Connections, limit)
	}
	w := &webLoop{web: web, release: release, loopEnded: make(chan struct{}), closing: make(chan struct{}), accepting: make(chan struct{}), failed: failed}
	defer func() {
		if err != nil {
			w.releaseAll()
		}
	}()
	if w.tcp, err = net.Listen("tcp", addr); err != nil {
		return nil, listenError(addr, err)
	}
	if w.lifeline, err = socketPair(); err != nil {
		return nil, err
	}
	// The connections set their own socket options.
	if w.client, err = gnet.NewClient(w, gnet.WithNumEventLoop(1), gnet.WithReadBufferCap(1<<16), gnet.WithTCPNoDelay(gnet.TCPDelay),
		gnet.WithTicker(true), gnet.WithLogger(web.log)); err != nil {
		return nil, err
	}
	if err = w.client.Start(); err != nil {
		return nil, err
	}
	if _, err = w.client.Enroll(w.lifeline[0]); err != nil {
		_ = w.client.Stop()
		return nil, err
	}
	go w.accept()
	return w, nil
}

// accept passes connections to the loop until the listener is closed or fails.
func (w *webLoop) accept() {
	defer close(w.accepting)
	for {
		c, err := streams.Accept(w.tcp, w.web.noteAcceptError)
		if err != nil {
			w.failed(err)
			return
		}
		// Enroll closes c in any case. The loop has a duplicate of its descriptor.
		w.awaitFile(c.(*net.TCPConn))
		if _, err := w.client.Enroll(c); err != nil {
			w.web.noteAcceptError(err)
			continue
		}
		w.web.noteAccepted()
	}
}

// awaitFile waits until the process has a free descriptor for a duplicate of c, at most as long as the handshake may take.
func (w *webLoop) awaitFile(c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	for end := time.Now().Add(w.web.config.HandshakeTimeout); time.Now().Before(end); {
		var failed error
		_ = raw.Control(func(fd uintptr) {
			var other int
			if other, failed = streams.Keep(int(fd)); failed == nil {
				_ = unix.Close(other)
			}
		})
		if failed == nil {
			return
		}
		w.web.noteAcceptError(failed)
		select {
		case <-w.closing:
			return
		case <-time.After(fileInterval):
		}
	}
}

// fileInterval is the time between two attempts of awaitFile.
const fileInterval = 20 * time.Millisecond

// OnTick implements [gnet.EventHandler].
func (w *webLoop) OnTick() (time.Duration, gnet.Action) {
	w.web.sweep(time.Now())
	return sweepInterval, gnet.None
}

// OnOpen implements [gnet.EventHandler].
func (w *webLoop) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	if _, ok := c.RemoteAddr().(*net.TCPAddr); !ok {
		return nil, gnet.None // the lifeline
	}
	conn := w.web.accept(c)
	if conn == nil {
		return busy, gnet.Close
	}
	c.SetContext(conn)
	return nil, gnet.None
}

// OnClose implements [gnet.EventHandler]. gnet calls it before it closes a descriptor.
func (w *webLoop) OnClose(c gnet.Conn, err error) gnet.Action {
	if conn, ok := c.Context().(*webConn); ok {
		w.web.remove(conn)
	}
	if _, ok := c.RemoteAddr().(*net.TCPAddr); !ok {
		close(w.loopEnded)
		w.failed(os.NewSyscallError("event loop", err))
	}
	return gnet.None
}

// OnTraffic implements [gnet.EventHandler]. It copies the messages of a connection into the inbox.
func (w *webLoop) OnTraffic(c gnet.Conn) gnet.Action {
	conn, ok := c.Context().(*webConn)
	if !ok {
		return gnet.Close
	}
	if action := w.web.receive(c, conn, time.Now(), &w.web.frames); action != gnet.None || !w.web.reader.adopt(c, conn) {
		return action
	}
	c.SetContext(nil)
	return gnet.Close // gnet closes its descriptor; the pollReader has a duplicate
}

// close stops accepting, tells the clients, and ends the loop.
func (w *webLoop) close() {
	close(w.closing)
	_ = w.tcp.Close()
	w.web.shutdown()
	select {
	case <-w.accepting:
	case <-w.loopEnded: // then Enroll may wait forever
	}
	_ = w.client.Stop()
	w.releaseAll()
}

// releaseAll closes what belongs to the loop, and is not the loop's.
func (w *webLoop) releaseAll() {
	if w.tcp != nil {
		_ = w.tcp.Close()
	}
	for _, c := range w.lifeline {
		if c != nil {
			_ = c.Close()
		}
	}
	w.release()
}

// socketPair returns two connections to each other.
func socketPair() (ends [2]net.Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return ends, os.NewSyscallError("socketpair", err)
	}
	for i, fd := range fds {
		unix.CloseOnExec(fd)
		f := os.NewFile(uintptr(fd), "lifeline")
		c, failed := net.FileConn(f)
		err = errors.Join(err, failed, f.Close())
		ends[i] = c
	}
	return ends, err
}

// fileLimitError is the error for a process that may not open enough files.
func fileLimitError(connections, limit int) error {
	return fmt.Errorf("eventloop: WebSocketConfig.Connections %d: the process may open only %d files; raise the limit (ulimit -n) or lower Connections", connections, limit)
}
