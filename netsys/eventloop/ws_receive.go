//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/gobwas/ws"
	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/netsys"
)

const (
	binaryFrame     = ws.OpBinary
	statusGoingAway = ws.StatusGoingAway
)

// stream holds the bytes that have arrived on a connection. [gnet.Conn] implements it.
type stream interface {
	InboundBuffered() int
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
}

// frameReceiver parses frames and delivers their datagrams. It belongs to one goroutine.
type frameReceiver struct {
	headers frameReader
	deliver func(netsys.Datagram)
}

var blankLine = []byte("\r\n\r\n")

// receive reads the handshake and the frames that have arrived on a connection, and delivers the datagrams. It returns
// [gnet.Close] if the connection must be closed.
func (w *connections) receive(in stream, c *webConn, at time.Time, frames *frameReceiver) gnet.Action {
	if !c.client.IsValid() {
		done, action := w.handshake(in, c)
		if !done {
			return action
		}
	}
	for in.InboundBuffered() > 0 {
		b, err := in.Peek(min(in.InboundBuffered(), maxFrame))
		if err != nil {
			return gnet.Close
		}
		h, head, size, err := frames.headers.next(b)
		if errors.Is(err, errPartial) {
			return gnet.None
		}
		if err != nil {
			return w.rejectViolation(c, err)
		}
		payload := b[head:size]
		ws.Cipher(payload, h.Mask, 0)
		if !c.from.IsValid() && h.OpCode != ws.OpClose {
			if h.OpCode != ws.OpBinary || !opensSession(payload) {
				return w.rejectStranger(c)
			}
			if !w.assignAddress(c, at) {
				return gnet.Close
			}
		}
		if w.receiveFrame(c, h.OpCode, payload, at, frames) == gnet.Close {
			return gnet.Close
		}
		if _, err := in.Discard(size); err != nil {
			return gnet.Close
		}
	}
	return gnet.None
}

// A session starts with a connection request of netcode 1.02, in which every byte outside the token is known. A session that
// resumes on another connection starts with an encrypted packet: its first byte holds the type and the length of the sequence,
// followed by sequence, ciphertext and tag.
const (
	requestSize   = 1078
	requestPrefix = "\x00NETCODE 1.02\x00"
	minPacket     = 18
)

// opensSession reports whether a datagram may be the first of a connection.
func opensSession(b []byte) bool {
	if len(b) == requestSize {
		return string(b[:len(requestPrefix)]) == requestPrefix
	}
	if len(b) < minPacket {
		return false
	}
	kind, sequence := b[0]&15, b[0]>>4
	return kind >= 4 && kind <= 6 && sequence >= 1 && sequence <= 8
}

// rejectStranger closes a connection whose first message cannot open a session.
func (w *connections) rejectStranger(c *webConn) gnet.Action {
	w.count(func(s *WebSocketStats) { s.Strangers++ })
	c.writeDirectly(appendClose(nil, ws.StatusPolicyViolation))
	return gnet.Close
}

// rejectViolation closes a connection whose client sent a frame that is not allowed. The close frame carries the code of err
// if err is a [violation].
func (w *connections) rejectViolation(c *webConn, err error) gnet.Action {
	w.count(func(s *WebSocketStats) { s.Violations++ })
	code := violation(ws.StatusProtocolError)
	_ = errors.As(err, &code)
	c.writeDirectly(appendClose(nil, ws.StatusCode(code)))
	return gnet.Close
}

// handshake answers the HTTP request once it has arrived completely. done reports that the request was accepted; frames follow
// it.
func (w *connections) handshake(in stream, c *webConn) (done bool, action gnet.Action) {
	n := in.InboundBuffered()
	b, err := in.Peek(min(n, w.config.Handshake))
	if err != nil {
		return false, gnet.Close
	}
	end := bytes.Index(b, blankLine)
	if end < 0 && n < w.config.Handshake {
		return false, gnet.None
	}
	refuse := func() (bool, gnet.Action) {
		w.count(func(s *WebSocketStats) { s.Refused++ })
		return false, gnet.Close
	}
	if end < 0 {
		return refuse()
	}
	size := end + len(blankLine)
	answer, client, err := w.config.upgrade(b[:size], c.remote)
	if err != nil {
		c.writeDirectly(answer)
		w.logRefusal(c, err)
		return refuse()
	}
	if !w.finishHandshake(c, client) {
		return false, gnet.Close
	}
	c.writeDirectly(answer)
	if _, err := in.Discard(size); err != nil {
		return false, gnet.Close
	}
	return true, gnet.None
}

// logRefusal logs a refusal that the configuration may have caused, because browsers do not show the reason. It logs each
// advice once.
func (w *connections) logRefusal(c *webConn, err error) {
	rejected, ok := errors.AsType[*ws.ConnectionRejectedError](err)
	if !ok || rejected.StatusCode() != http.StatusForbidden || w.logged[rejected.Error()] {
		return
	}
	w.logged[rejected.Error()] = true
	w.log.Warnf("eventloop: refused the WebSocket connection of a page, from %v; further refusals for this reason are not logged: %v", c.remote, rejected)
}

// receiveFrame handles one valid frame that has arrived completely.
func (w *connections) receiveFrame(c *webConn, op ws.OpCode, payload []byte, at time.Time, frames *frameReceiver) gnet.Action {
	if op == ws.OpBinary {
		c.lastDatagram.Store(int64(at.Sub(c.opened)))
	}
	if op != ws.OpClose {
		perPoll := maxFramesPerPoll
		if !c.answered.Load() {
			perPoll = maxFramesUnanswered
		}
		interval := time.Second / time.Duration(w.config.FramesPerSecond)
		switch accept, stay := c.limit.admit(at.Sub(c.opened), interval, w.polls.Load(), perPoll); {
		case !stay:
			w.count(func(s *WebSocketStats) { s.TooFast++ })
			c.writeDirectly(appendClose(nil, ws.StatusPolicyViolation))
			return gnet.Close
		case !accept:
			w.count(func(s *WebSocketStats) { s.Flooded++ })
			return gnet.None
		}
	}
	switch op {
	case ws.OpBinary:
		frames.deliver(netsys.Datagram{From: c.from, At: at, Data: payload})
	case ws.OpPing:
		// The outbox also bounds the answers of a client that sends pings without reading.
		c.send(at, ws.OpPong, payload)
	case ws.OpClose:
		code := ws.StatusNormalClosure
		if given, _ := ws.ParseCloseFrameData(payload); len(payload) >= 2 && ws.CheckCloseFrameData(given, "") == nil {
			code = given
		}
		c.writeDirectly(appendClose(nil, code))
		return gnet.Close
	}
	return gnet.None
}

const (
	// maxBurst bounds the frames that are accepted at once: as many as the rate allows in this time.
	maxBurst = time.Second
	// maxExcess bounds the lost frames before the connection is closed, in the same unit.
	maxExcess = 2 * time.Second
)

// frameLimit limits the frames of one connection. Times are since the connection was opened.
type frameLimit struct {
	poll          uint32 // the poll that number counts for
	number        int    // frames in this poll
	all, accepted allowance.Rate
}

// admit counts a frame of any kind, because answering a ping costs more than receiving a datagram. interval is the time
// between two frames at the rate, and perPoll bounds the frames between two polls. accept reports whether the frame is
// accepted, and stay whether the connection may stay open. Lost frames do not delay the frames after them.
func (l *frameLimit) admit(now, interval time.Duration, poll uint32, perPoll int) (accept, stay bool) {
	if l.all.Take(now, interval, maxBurst+maxExcess) > 0 {
		return false, false
	}
	if poll != l.poll {
		l.poll, l.number = poll, 0
	}
	l.number++
	return l.number <= perPoll && l.accepted.Take(now, interval, maxBurst) == 0, true
}
