//go:build !js

package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"time"

	"github.com/coder/websocket"

	"github.com/tactusgo/tactus/netsys"
)

// socket is a connection over TCP.
type socket struct {
	*websocket.Conn
	tcp net.Conn
}

// dial connects. Closing the TCP connection is the only thing that ends a closing handshake early.
func dial(ctx context.Context, url string) (link, error) {
	var tcp net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { tcp = i.Conn },
	})
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(netsys.MaxDatagram)
	return socket{conn, tcp}, nil
}

// A context that can end would cost a timer for each message.
func (s socket) read(b []byte) (n int, err error) {
	kind, r, err := s.Reader(context.Background())
	if err != nil {
		return 0, err
	}
	if kind != websocket.MessageBinary {
		return 0, errText
	}
	return readAll(r, b)
}

// readAll reads a message, of which the read limit sees to it that it fits.
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

func (s socket) write(b []byte) error {
	return s.Write(context.Background(), websocket.MessageBinary, b)
}

func (s socket) buffered() int { return 0 }

func (s socket) close() { _ = s.Close(websocket.StatusNormalClosure, "") }

func (s socket) abort() { _ = s.CloseNow() }

// shut waits for the polite end of the connection if that goes fast, and makes it abrupt if not. No goroutine is left
// when it returns.
func (w *Wire) shut() {
	rude := time.AfterFunc(closeTime, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if s, ok := w.link.(socket); ok {
			_ = s.tcp.Close()
		}
	})
	defer rude.Stop()
	<-w.ended
}
