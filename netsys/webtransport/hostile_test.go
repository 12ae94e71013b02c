//go:build !js

package webtransport_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	other "github.com/quic-go/webtransport-go"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/netsys/webtransport"
)

// trusting takes any certificate.
func trusting() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http3.NextProtoH3}}
}

// lively are connections that stay up by themselves.
func lively() *quic.Config {
	return &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true, KeepAlivePeriod: 10 * time.Millisecond}
}

// reach makes a connection of QUIC, and nothing on it.
func reach(t testing.TB, l *webtransport.Listener) *quic.Conn {
	t.Helper()
	conn, err := quic.DialAddr(t.Context(), l.LocalAddr().String(), trusting(), lively())
	for n := 0; err != nil; n++ { // a handshake whose datagrams are lost may take longer than the listener allows
		if n == 10 {
			t.Fatal(err)
		}
		conn, err = quic.DialAddr(t.Context(), l.LocalAddr().String(), trusting(), lively())
	}
	t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	return conn
}

// A connection without a session loses its place, although it is alive. A refused session does not count.
func TestConnectionsWithoutASessionEnd(t *testing.T) {
	l, url := listen(t, webtransport.Config{AnswerTimeout: 250 * time.Millisecond})
	conn := reach(t, l)
	until(t, "who says nothing is gone", func() bool { return context.Cause(conn.Context()) != nil && l.Stats().Connections == 0 })
	conn = reach(t, l)
	if answer, _, err := client(t, conn).Dial(t.Context(), url, http.Header{"Origin": {"https://evil.example"}}); answer == nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign page: %v", err)
	}
	until(t, "who was refused is gone", func() bool { return context.Cause(conn.Context()) != nil && l.Stats().Connections == 0 })
	if n := l.Stats().Unanswered; n < 2 {
		t.Errorf("%d unanswered, want 2", n)
	}
}

// client speaks WebTransport on a connection.
func client(t testing.TB, conn *quic.Conn) *other.ClientConn {
	t.Helper()
	c, err := (&other.Transport{TLSClientConfig: trusting(), QUICConfig: lively()}).NewClientConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A connection has one session, and ends with it.
func TestConnectionsHaveOneSession(t *testing.T) {
	l, url := listen(t, webtransport.Config{})
	conn := reach(t, l)
	c := client(t, conn)
	_, session, err := c.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "it has a session", func() bool { return l.Stats().Sessions == 1 })
	if answer, _, err := c.Dial(t.Context(), url, nil); err == nil || answer != nil && answer.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second session: %v %v", answer, err)
	}
	if s := l.Stats(); s.Accepted != 1 || s.Sessions != 1 {
		t.Errorf("%+v", s)
	}
	_ = session.CloseWithError(0, "")
	until(t, "the connection ends", func() bool { return context.Cause(conn.Context()) != nil && l.Stats().Connections == 0 })
}

// listened is a socket that notes whether the other end asked to be shown that this one is at its address.
type listened struct {
	net.PacketConn
	retries atomic.Int32
}

func (c *listened) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.PacketConn.ReadFrom(b)
	const long, kind, retry = 0x80, 0x30, 0x30
	if n > 0 && b[0]&long != 0 && b[0]&kind == retry {
		c.retries.Add(1)
	}
	return n, from, err
}

// When there are many connections, a new client has to prove its address, so that forged addresses take no places.
func TestAddressesAreVerifiedWhereManyAre(t *testing.T) {
	l, _ := listen(t, webtransport.Config{Connections: 8})
	for n := range 3 {
		socket, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c := &listened{PacketConn: socket}
		x := &quic.Transport{Conn: c}
		t.Cleanup(func() { _, _ = x.Close(), socket.Close() })
		conn, err := x.Dial(t.Context(), net.UDPAddrFromAddrPort(l.LocalAddr()), trusting(), lively())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
		if asked, want := c.retries.Load() > 0, n == 2; asked != want {
			t.Errorf("with %d connections of 8, who comes has to show its address: %v, want %v", n, asked, want)
		}
		until(t, "it has its place", func() bool { return l.Stats().Connections == n+1 })
	}
}

// says sends a datagram until the listener receives it.
func says(t *testing.T, l *webtransport.Listener, w *websocket.Wire, what string) {
	t.Helper()
	heard := false
	until(t, "it is heard", func() bool {
		_ = w.Send(time.Now(), w.RemoteAddr(), []byte(what))
		l.Poll(time.Now(), func(d netsys.Datagram) { heard = heard || string(d.Data) == what })
		return heard
	})
}

// FuzzPeer runs a peer as data says: it opens streams, writes on them, sends datagrams, and begins a session or not. It always
// loses its place, and others continue.
func FuzzPeer(f *testing.F) {
	const (
		bidirectional = iota
		unidirectional
		datagram
		request
		session
		kinds
	)
	piece := func(kind byte, data ...byte) []byte { return append([]byte{kind, byte(len(data))}, data...) }
	for _, seed := range [][]byte{
		{},
		piece(unidirectional, 0x00, 0x04, 0x00), // a control stream, without settings
		piece(unidirectional, 0x00, 0x04, 0x04, 0x33, 0x01, 0x08, 0x01),    // with datagrams
		piece(unidirectional, 0x40, 0x54, 0x00, 1, 2, 3),                   // a stream of a session that is not there
		piece(bidirectional, 0x40, 0x41, 0x00, 1, 2, 3),                    // the same
		piece(bidirectional, 0x40, 0x41, 0x02),                             // of a session that cannot be
		piece(bidirectional, 0x01, 0x05, 0x00, 0x00, 0xd1, 0xd7, 0xc1),     // GET
		piece(bidirectional, 0x01, 0xbf, 0xff, 0xff, 0xff),                 // headers of a gigabyte
		piece(bidirectional, 0x01, 0x03, 0xff, 0xff, 0xff),                 // headers that are none
		piece(bidirectional, 0x00, 0x03, 1, 2, 3),                          // data before headers
		append(piece(session), piece(datagram, 0x00, 9)...),                // by itself, below the session
		append(piece(datagram, 0x00, 9), piece(session)...),                // before it
		append(piece(session), piece(datagram, 0x7f, 0xff)...),             // for another
		append(piece(session), piece(datagram, 0xc0)...),                   // cut
		append(piece(session), piece(unidirectional, 0x40, 0x54, 0x00)...), // a stream, which no game has
		append(piece(session), piece(session)...),
		piece(request, []byte("/other")...),
		piece(request, []byte("http://[::1")...),
	} {
		f.Add(seed)
	}
	l, url := listen(f, webtransport.Config{})
	f.Fuzz(func(t *testing.T, data []byte) {
		conn, err := quic.DialAddr(t.Context(), l.LocalAddr().String(), trusting(), lively())
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer stop()
		var c *other.ClientConn
		for n := 0; len(data) >= 2 && n < 16; n++ {
			kind, size := data[0]%kinds, min(int(data[1]), len(data)-2)
			b := data[2 : 2+size]
			data = data[2+size:]
			switch kind {
			case bidirectional:
				if s, err := conn.OpenStream(); err == nil {
					_, _ = s.Write(b)
					_ = s.Close()
				}
			case unidirectional:
				if s, err := conn.OpenUniStream(); err == nil {
					_, _ = s.Write(b)
				}
			case datagram:
				_ = conn.SendDatagram(b)
			case request, session:
				if c == nil {
					c = client(t, conn)
				}
				_, _, _ = c.Dial(ctx, url+map[bool]string{true: string(b)}[kind == request], http.Header{"Origin": {string(b)}})
			}
		}
		w := dial(t, l, webtransport.DialConfig{}, url)
		says(t, l, w, "others play on")
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		_ = conn.CloseWithError(0, "")
		until(t, "its place is free", func() bool { return l.Stats().Connections == 0 })
	})
}
