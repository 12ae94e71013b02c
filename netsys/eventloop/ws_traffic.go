//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/gobwas/ws"
	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/netsys"
)

const (
	binaryFrame     = ws.OpBinary
	statusGoingAway = ws.StatusGoingAway
)

// stream is what connections are read from: the part of a gnet.Conn that holds what has arrived.
type stream interface {
	InboundBuffered() int
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
}

// taker takes frames in, on one goroutine.
type taker struct {
	frames frameReader
	put    func(netsys.Datagram)
}

var blankLine = []byte("\r\n\r\n")

// traffic reads what has arrived on a connection, puts the datagrams somewhere, and says what shall become of it.
func (w *web) traffic(in stream, c *webConn, at time.Time, take *taker) gnet.Action {
	if !c.client.IsValid() {
		done, action := w.greet(in, c)
		if !done {
			return action
		}
	}
	for in.InboundBuffered() > 0 {
		b, err := in.Peek(min(in.InboundBuffered(), maxFrame))
		if err != nil {
			return gnet.Close
		}
		h, head, size, err := take.frames.next(b)
		if errors.Is(err, errPartial) {
			return gnet.None
		}
		if err != nil {
			return w.violated(c, err)
		}
		payload := b[head:size]
		ws.Cipher(payload, h.Mask, 0)
		if !c.from.IsValid() && h.OpCode != ws.OpClose {
			if h.OpCode != ws.OpBinary || !begins(payload) {
				return w.strange(c)
			}
			if !w.join(c, at) {
				return gnet.Close
			}
		}
		if w.frame(c, h.OpCode, payload, at, take) == gnet.Close {
			return gnet.Close
		}
		if _, err := in.Discard(size); err != nil {
			return gnet.Close
		}
	}
	return gnet.None
}

// What begins a session is a request of netcode 1.02, of which every byte but those of the token is known. What goes
// on with one, on another connection, is a sealed packet: type and length of the sequence in the first byte, then
// sequence, ciphertext and tag.
const (
	requestSize   = 1078
	requestPrefix = "\x00NETCODE 1.02\x00"
	leastPacket   = 18
)

// begins reports whether a datagram may be the first of a connection.
func begins(b []byte) bool {
	if len(b) == requestSize {
		return string(b[:len(requestPrefix)]) == requestPrefix
	}
	if len(b) < leastPacket {
		return false
	}
	kind, sequence := b[0]&15, b[0]>>4
	return kind >= 4 && kind <= 6 && sequence >= 1 && sequence <= 8
}

// strange ends a connection that begins with something else.
func (w *web) strange(c *webConn) gnet.Action {
	w.count(func(s *WebSocketStats) { s.Strangers++ })
	c.answer(appendClose(nil, ws.StatusPolicyViolation))
	return gnet.Close
}

// violated says goodbye to a client that must not send what it sent.
func (w *web) violated(c *webConn, err error) gnet.Action {
	w.count(func(s *WebSocketStats) { s.Violations++ })
	code := violation(ws.StatusProtocolError)
	_ = errors.As(err, &code)
	c.answer(appendClose(nil, ws.StatusCode(code)))
	return gnet.Close
}

// greet handles the handshake; done is true when it is over and frames follow.
func (w *web) greet(in stream, c *webConn) (done bool, action gnet.Action) {
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
		c.answer(answer)
		w.tell(c, err)
		return refuse()
	}
	if !w.upgraded(c, client) {
		return false, gnet.Close
	}
	c.answer(answer)
	if _, err := in.Discard(size); err != nil {
		return false, gnet.Close
	}
	return true, gnet.None
}

// tell warns, once for each advice, of refusals that a configuration may be to blame for: browsers do not show them.
func (w *web) tell(c *webConn, err error) {
	rejected, ok := errors.AsType[*ws.ConnectionRejectedError](err)
	if !ok || rejected.StatusCode() != http.StatusForbidden || w.logged[rejected.Error()] {
		return
	}
	w.logged[rejected.Error()] = true
	w.log.Warnf("eventloop: WebSocket refused to a page, from %v; more for this reason are not told: %v", c.remote, rejected)
}

// frame handles one frame that is allowed and has arrived in full.
func (w *web) frame(c *webConn, op ws.OpCode, payload []byte, at time.Time, take *taker) gnet.Action {
	if op == ws.OpBinary {
		c.heard.Store(int64(at.Sub(c.since)))
	}
	if op != ws.OpClose {
		most := webPerPoll
		if !c.answered.Load() {
			most = webUnanswered
		}
		each := time.Second / time.Duration(w.config.FramesPerSecond)
		switch taken, on := c.intake.room(at.Sub(c.since), each, w.polls.Load(), most); { // of the monotonic clock
		case !on:
			w.count(func(s *WebSocketStats) { s.TooFast++ })
			c.answer(appendClose(nil, ws.StatusPolicyViolation))
			return gnet.Close
		case !taken:
			w.count(func(s *WebSocketStats) { s.Flooded++ })
			return gnet.None
		}
	}
	switch op {
	case ws.OpBinary:
		take.put(netsys.Datagram{From: c.from, At: at, Data: payload})
	case ws.OpPing:
		// Whoever pings without reading the answers pushes out what was meant for them.
		c.send(at, ws.OpPong, payload)
	case ws.OpClose:
		code := ws.StatusNormalClosure
		if given, _ := ws.ParseCloseFrameData(payload); len(payload) >= 2 && ws.CheckCloseFrameData(given, "") == nil {
			code = given
		}
		c.answer(appendClose(nil, code))
		return gnet.Close
	}
	return gnet.None
}

// The rate of a connection, in time at that rate.
const (
	// webBurst is how much may come at once.
	webBurst = time.Second
	// webTooFast is how much more ends the connection.
	webTooFast = 2 * time.Second
)

// intake counts what a connection brings.
type intake struct {
	poll   uint32 // the one that frames are counted for
	number int    // how many of them
	// brought is when all frames so far, and taken when those that were not lost, would have come at exactly the
	// rate, after the connection was opened.
	brought, taken time.Duration
}

// room counts a frame, whatever it is for: an answer to a ping costs more than a datagram. It reports whether the frame
// is taken, where there is one each so often and at most so many between two polls, and whether the connection may go
// on. Only what is taken delays what comes next.
func (i *intake) room(now, each time.Duration, poll uint32, most int) (taken, on bool) {
	if i.brought = max(i.brought, now) + each; i.brought-now > webBurst+webTooFast {
		return false, false
	}
	if poll != i.poll {
		i.poll, i.number = poll, 0
	}
	next := max(i.taken, now) + each
	if i.number++; i.number > most || next-now > webBurst {
		return false, true
	}
	i.taken = next
	return true, true
}
