//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"io"
	"slices"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/internal/streams"
	"github.com/tactusgo/tactus/netsys"
)

// pollReader reads the WebSocket connections in Poll instead of on gnet's loop, on systems that support it. gnet accepts a
// connection and reads until its first valid message. Then the connection moves to the pollReader. After that, messages wake
// no goroutine and are not copied into the inbox: one system call reads everything that a client has sent since the latest Poll,
// and the kernel supplies the time of arrival. The package comment has the measurements.
type pollReader struct {
	connections *connections
	set         *streams.Set
	readyFDs    []int
	ready       []*webConn
	buffer      []byte // what one call has read
	in          byteStream
	frames      frameReceiver

	byFD []*webConn // by descriptor; protected by the lock of connections
}

// maxRead is the number of bytes that one Poll reads from one connection, not counting a partial frame from the Poll before.
// The rest waits in the kernel for the next Poll.
const maxRead = 64 << 10

// byteStream is a stream of bytes in memory.
type byteStream struct{ b []byte }

func (s *byteStream) InboundBuffered() int { return len(s.b) }

func (s *byteStream) Peek(n int) ([]byte, error) {
	if n > len(s.b) {
		return nil, io.ErrShortBuffer
	}
	return s.b[:n], nil
}

func (s *byteStream) Discard(n int) (int, error) {
	n = min(n, len(s.b))
	s.b = s.b[n:]
	return n, nil
}

// newPollReader returns nil on systems that do not support it. There the event loop reads all connections.
func newPollReader(c *connections) *pollReader {
	set, err := streams.New()
	if err != nil {
		return nil
	}
	return &pollReader{connections: c, set: set, buffer: make([]byte, maxFrame+maxRead)}
}

// adopt takes over a connection from gnet, once the connection has sent its first valid message. It keeps a duplicate of the
// descriptor, so gnet can close its own. It runs on the event loop. It reports false if the event loop has to go on reading
// the connection.
func (r *pollReader) adopt(in stream, c *webConn) bool {
	if r == nil || !c.from.IsValid() {
		return false
	}
	rest, err := in.Peek(in.InboundBuffered())
	if err != nil && in.InboundBuffered() > 0 {
		return false
	}
	r.connections.mu.Lock()
	defer r.connections.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	fd, err := streams.Keep(c.fd)
	if err != nil {
		return false
	}
	if len(rest) > 0 {
		c.partial = append(c.out.buffer(), rest...)
	}
	c.fd, c.ownsFD = fd, true
	for len(r.byFD) <= fd {
		r.byFD = append(r.byFD, nil)
	}
	r.byFD[fd] = c
	if err := r.set.Add(fd); err != nil {
		go r.connections.remove(c) // the server cannot read the connection: end the session as if the client had left
	}
	return true
}

// remove stops reading a connection. The caller holds the lock of connections.
func (r *pollReader) remove(c *webConn) {
	if c.ownsFD && c.fd >= 0 {
		r.set.Remove(c.fd)
		r.byFD[c.fd] = nil
	}
}

// poll delivers the datagrams that the event loop has received, and then those of the connections. A connection can have
// both. Its first message is delivered first, because poll asks which connections are ready before it drains the inbox.
func (r *pollReader) poll(l *Listener, now time.Time, deliver func(netsys.Datagram)) {
	r.set.Begin(now)
	r.frames.deliver = deliver
	for left := r.maxRepeats(); ; left-- {
		fds, more := r.set.Ready(r.readyFDs[:0])
		r.readyFDs = fds
		l.drain(now, deliver)
		r.lookUpReady(fds)
		for _, c := range r.ready {
			if !r.readConn(c) {
				r.connections.remove(c)
			}
		}
		clear(r.ready)
		if !more || left <= 0 {
			r.frames.deliver = nil
			return
		}
	}
}

// maxRepeats returns how often poll may ask again which connections are ready, after a full answer.
func (r *pollReader) maxRepeats() int {
	r.connections.mu.Lock()
	defer r.connections.mu.Unlock()
	return len(r.connections.all) / 1024
}

// lookUpReady sets ready to the connections of the descriptors.
func (r *pollReader) lookUpReady(fds []int) {
	r.connections.mu.Lock()
	defer r.connections.mu.Unlock()
	r.ready = r.ready[:0]
	for _, fd := range fds {
		if fd < len(r.byFD) && r.byFD[fd] != nil {
			r.ready = append(r.ready, r.byFD[fd])
		}
	}
}

// readConn delivers the messages of one connection. It reports false if the connection must be closed.
func (r *pollReader) readConn(c *webConn) bool {
	begun := copy(r.buffer, c.partial)
	n, at, err := r.set.Read(c.fd, r.buffer[begun:begun+maxRead])
	switch {
	case err != nil:
		return false
	case n == 0:
		return true
	}
	r.in.b = r.buffer[:begun+n]
	if r.connections.receive(&r.in, c, at, &r.frames) == gnet.Close {
		return false
	}
	switch {
	case len(r.in.b) > 0:
		if c.partial == nil {
			c.partial = r.connections.pool.get()
		}
		c.partial = append(c.partial[:0], r.in.b...)
	case c.partial != nil:
		r.connections.pool.put(c.partial)
		c.partial = nil
	}
	return true
}

// maxLinger is how long the server, when it ends, waits for its clients to close their connections.
const maxLinger = time.Second

// close closes the remaining connections after the event loop has ended, each after its client has closed it. Until then it
// reads what the client sends: a socket that is closed with unread data, or to which data comes later, resets the connection, and the
// client may lose the last datagrams and the close frame.
func (r *pollReader) close() {
	r.connections.mu.Lock()
	open := slices.DeleteFunc(slices.Clone(r.byFD), func(c *webConn) bool { return c == nil })
	r.connections.mu.Unlock()
	for end := time.Now().Add(maxLinger); len(open) > 0; time.Sleep(time.Millisecond) {
		late := time.Now().After(end)
		open = slices.DeleteFunc(open, func(c *webConn) bool {
			if _, _, err := r.set.Read(c.fd, r.buffer); err == nil && !late {
				return false
			}
			r.connections.remove(c)
			return true
		})
	}
	r.set.Close()
}
