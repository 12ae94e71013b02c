//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"io"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/internal/streams"
	"github.com/tactusgo/tactus/netsys"
)

// reader reads the connections of a web that have begun, on systems that can: who polls does, so that nothing wakes up for
// a message and nothing copies one. All that a client has sent since the last poll is one system call, and its time of
// arrival the kernel's.
type reader struct {
	web   *web
	set   *streams.Set
	ready []int
	read  []*webConn // that are ready
	room  []byte     // what is read now
	in    received
	take  taker

	byFD []*webConn // under the web's lock
}

// roomForOne is how much is read of one connection in a poll, besides what began before: more waits in the kernel for the
// next.
const roomForOne = 64 << 10

// received is a stream of what was read.
type received struct{ b []byte }

func (r *received) InboundBuffered() int { return len(r.b) }

func (r *received) Peek(n int) ([]byte, error) {
	if n > len(r.b) {
		return nil, io.ErrShortBuffer
	}
	return r.b[:n], nil
}

func (r *received) Discard(n int) (int, error) {
	n = min(n, len(r.b))
	r.b = r.b[n:]
	return n, nil
}

// newReader returns nil where the event loop has to read.
func newReader(w *web) *reader {
	set, err := streams.New()
	if err != nil {
		return nil
	}
	return &reader{web: w, set: set, room: make([]byte, maxFrame+roomForOne)}
}

// keep takes a connection that has begun from gnet, which may then close its descriptor. It runs on the event loop. Where
// it cannot, the loop goes on reading.
func (r *reader) keep(in stream, c *webConn) bool {
	if r == nil || !c.from.IsValid() {
		return false
	}
	rest, err := in.Peek(in.InboundBuffered())
	if err != nil && in.InboundBuffered() > 0 {
		return false
	}
	r.web.mu.Lock()
	defer r.web.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	fd, err := streams.Keep(c.fd)
	if err != nil {
		return false
	}
	if len(rest) > 0 {
		c.rest = append(c.out.buffer(), rest...)
	}
	c.fd, c.own = fd, true
	for len(r.byFD) <= fd {
		r.byFD = append(r.byFD, nil)
	}
	r.byFD[fd] = c
	if err := r.set.Add(fd); err != nil {
		go r.web.leave(c) // nobody would hear of it again: it ends as if its client had gone
	}
	return true
}

// forget makes nobody read a connection any more. It runs under the web's lock.
func (r *reader) forget(c *webConn) {
	if c.own && c.fd >= 0 {
		r.set.Remove(c.fd)
		r.byFD[c.fd] = nil
	}
}

// poll delivers what came by the event loop, and then what the connections have that were ready before: what a connection
// began with comes first.
func (r *reader) poll(l *Listener, now time.Time, deliver func(netsys.Datagram)) {
	r.set.Begin(now)
	r.take.put = deliver
	for rounds := r.rounds(); ; rounds-- {
		fds, more := r.set.Ready(r.ready[:0])
		r.ready = fds
		l.drain(now, deliver)
		r.find(fds)
		for _, c := range r.read {
			if !r.one(c) {
				r.web.leave(c)
			}
		}
		clear(r.read)
		if !more || rounds <= 0 {
			r.take.put = nil
			return
		}
	}
}

// rounds is how often a full set of ready connections may be followed by another.
func (r *reader) rounds() int {
	r.web.mu.Lock()
	defer r.web.mu.Unlock()
	return len(r.web.conns) / 1024
}

// find looks the connections up that are ready.
func (r *reader) find(fds []int) {
	r.web.mu.Lock()
	defer r.web.mu.Unlock()
	r.read = r.read[:0]
	for _, fd := range fds {
		if fd < len(r.byFD) && r.byFD[fd] != nil {
			r.read = append(r.read, r.byFD[fd])
		}
	}
}

// one delivers what a connection has, and reports whether it goes on.
func (r *reader) one(c *webConn) bool {
	begun := copy(r.room, c.rest)
	n, at, err := r.set.Read(c.fd, r.room[begun:begun+roomForOne])
	switch {
	case err != nil:
		return false
	case n == 0:
		return true
	}
	r.in.b = r.room[:begun+n]
	if r.web.traffic(&r.in, c, at, &r.take) == gnet.Close {
		return false
	}
	switch {
	case len(r.in.b) > 0:
		if c.rest == nil {
			c.rest = r.web.spare.take()
		}
		c.rest = append(c.rest[:0], r.in.b...)
	case c.rest != nil:
		r.web.spare.put(c.rest)
		c.rest = nil
	}
	return true
}

// end closes what is left when the event loop has ended. What was not read is read, so that closing takes nothing from a
// client that was said goodbye to.
func (r *reader) end() {
	r.web.mu.Lock()
	var all []*webConn
	for _, c := range r.byFD {
		if c != nil {
			all = append(all, c)
		}
	}
	r.web.mu.Unlock()
	for _, c := range all {
		for n := 1; n > 0; {
			n, _, _ = r.set.Read(c.fd, r.room)
		}
		r.web.leave(c)
	}
	r.set.Close()
}
