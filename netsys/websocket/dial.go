//go:build !js

package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/tactusgo/tactus/netsys"
)

// socket is a connection over TCP.
type socket struct {
	conn *websocket.Conn
	tcp  net.Conn
}

// Connect makes a connection by WebSocket.
func Connect(ctx context.Context, url string) (Link, error) {
	var tcp net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { tcp = i.Conn },
	})
	conn, answer, err := websocket.Dial(ctx, url, nil)
	if err != nil && answer != nil && answer.StatusCode == http.StatusServiceUnavailable {
		if n, no := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 16); no == nil {
			err = &busyError{time.Duration(n) * time.Second, err}
		}
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(netsys.MaxDatagram)
	return socket{conn, tcp}, nil
}

// Read uses context.Background because a context that can end costs a timer per message.
func (s socket) Read(b []byte) (n int, err error) {
	kind, r, err := s.conn.Reader(context.Background())
	if err != nil {
		return 0, err
	}
	if kind != websocket.MessageBinary {
		return 0, errText
	}
	return readAll(r, b)
}

// readAll reads one message. The read limit of the connection guarantees that it fits into b.
func readAll(r io.Reader, b []byte) (n int, err error) {
	for {
		m, err := r.Read(b[n:])
		n += m
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		case n == len(b):
			return n, io.ErrShortBuffer
		}
	}
}

func (s socket) Write(b []byte) error {
	return s.conn.Write(context.Background(), websocket.MessageBinary, b)
}

func (s socket) Buffered() int { return 0 }

func (s socket) Close() { _ = s.conn.Close(websocket.StatusNormalClosure, "") }

// Abort closes the TCP connection, because nothing else ends a closing handshake early.
func (s socket) Abort() {
	_ = s.tcp.Close()
	_ = s.conn.CloseNow()
}

// shut waits up to closeTime for the closing handshake and then aborts the connection. Both goroutines have ended when it
// returns.
func (w *Wire) shut() {
	rude := time.AfterFunc(closeTime, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.link != nil { // the first connection may still be opening
			w.link.Abort()
		}
	})
	defer rude.Stop()
	<-w.ended
}
