package httpserve

import (
	"container/list"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/streams"
)

// chunk is how many bytes of an answer have one deadline.
const chunk = 16 << 10

// pool is the connections of a server.
type pool struct {
	limit func() int

	mu      sync.Mutex
	open    int
	waiting list.List // of *conn: connections without a request under way, the one that has waited longest first
}

// listener accepts connections into a pool.
type listener struct {
	net.Listener
	pool *pool
}

// Accept implements [net.Listener]. It outlasts times without free file descriptors.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := streams.Accept(l.Listener, func(error) {})
		if err != nil {
			return nil, err
		}
		if x := l.pool.admit(c); x != nil {
			return x, nil
		}
		_ = c.Close()
	}
}

// admit returns c as a connection of the pool. If the pool or the process has as many as it may, admit closes the connection of
// the pool that has waited longest; if none waits, admit returns nil.
func (p *pool) admit(c net.Conn) *conn {
	p.mu.Lock()
	var oldest *conn
	if full := p.open >= p.limit(); full || !streams.Take() {
		front := p.waiting.Front()
		if front == nil {
			p.mu.Unlock()
			return nil
		}
		oldest = front.Value.(*conn)
		p.remove(oldest)
		if !streams.Take() {
			p.mu.Unlock()
			_ = oldest.Close()
			return nil
		}
	}
	x := &conn{Conn: c, pool: p}
	x.place = p.waiting.PushBack(x)
	p.open++
	p.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return x
}

// remove takes a connection out of the pool. The caller holds the lock.
func (p *pool) remove(c *conn) {
	if c.removed {
		return
	}
	c.removed = true
	p.open--
	streams.Give()
	if c.place != nil {
		p.waiting.Remove(c.place)
		c.place = nil
	}
}

// note implements the hook ConnState of [http.Server].
func (p *pool) note(nc net.Conn, state http.ConnState) {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	c := nc.(*conn) // of listener
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.removed:
	case state == http.StateActive && c.place != nil:
		p.waiting.Remove(c.place)
		c.place = nil
	case state == http.StateIdle && c.place == nil:
		c.place = p.waiting.PushBack(c)
	}
}

// closeWaiting closes all connections without a request under way.
func (p *pool) closeWaiting() {
	p.mu.Lock()
	var all []*conn
	for x := p.waiting.Front(); x != nil; x = x.Next() {
		all = append(all, x.Value.(*conn))
	}
	p.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
}

// conn is a connection of a pool. It bounds how long the client may accept nothing.
type conn struct {
	net.Conn
	pool *pool

	place   *list.Element // in pool.waiting; nil: a request is under way. With the pool's lock
	removed bool          // with the pool's lock

	mu       sync.Mutex
	deadline time.Time // for writes, as the handler set it; zero: none
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.pool.mu.Lock()
	c.pool.remove(c)
	c.pool.mu.Unlock()
	return c.Conn.Close()
}

// Write implements [net.Conn]. Each chunk has stallTimeout, so a slow client gets all of an answer, and one that has
// stopped reading does not hold the connection.
func (c *conn) Write(b []byte) (n int, err error) {
	for {
		part := b[n:min(n+chunk, len(b))]
		if err := c.nextChunk(); err != nil {
			return n, err
		}
		wrote, err := c.Conn.Write(part)
		if n += wrote; err != nil || n >= len(b) {
			return n, err
		}
	}
}

// nextChunk sets the deadline of the next chunk: the earlier one of the handler's and of stallTimeout from now.
func (c *conn) nextChunk() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().Add(stallTimeout)
	if !c.deadline.IsZero() && c.deadline.Before(at) {
		at = c.deadline
	}
	return c.Conn.SetWriteDeadline(at)
}

// SetWriteDeadline implements [net.Conn].
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements [net.Conn].
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
