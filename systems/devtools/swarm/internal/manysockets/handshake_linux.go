package manysockets

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/streams"
)

// responseMost is the largest size of the server's handshake response.
const responseMost = 8 << 10

// dialRaw connects to a ws:// URL and returns the socket after the handshake.
func dialRaw(ctx context.Context, to string) (*raw, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	u.Scheme = "http"
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	on, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	defer on.Close()
	defer context.AfterFunc(ctx, func() { _ = on.SetDeadline(time.Unix(1, 0)) })()
	rest, err := handshake(on, u)
	if err != nil {
		return nil, errors.Join(err, context.Cause(ctx))
	}
	r := &raw{fd: -1, rest: rest, local: netip.AddrPort{}}
	if tcp, ok := on.LocalAddr().(*net.TCPAddr); ok {
		a := tcp.AddrPort()
		r.local = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	// The duplicated descriptor outlives on and does not block either.
	socket, err := on.(*net.TCPConn).SyscallConn()
	if err != nil {
		return nil, err
	}
	var kept error
	err = socket.Control(func(fd uintptr) { r.fd, kept = streams.Keep(int(fd)) })
	if err = errors.Join(err, kept); err != nil {
		return nil, err
	}
	return r, nil
}

// handshake performs the WebSocket handshake and returns the bytes that the server sent after it.
func handshake(on net.Conn, u *url.URL) (rest []byte, err error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	key := base64.StdEncoding.EncodeToString(nonce[:])
	ask, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	ask.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {key},
	}
	if err := ask.Write(on); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(io.LimitReader(on, responseMost), responseMost)
	answer, err := http.ReadResponse(in, ask)
	if err != nil {
		return nil, err
	}
	// The bytes after a 101 response are not its body.
	switch h := answer.Header; {
	case answer.StatusCode != http.StatusSwitchingProtocols:
		return nil, fmt.Errorf("the server answers %s", answer.Status)
	case !strings.EqualFold(h.Get("Upgrade"), "websocket") || h.Get("Sec-Websocket-Accept") != accepts(key):
		return nil, errors.New("the server does not speak WebSocket")
	case h.Get("Sec-Websocket-Extensions") != "" || h.Get("Sec-Websocket-Protocol") != "":
		return nil, errors.New("the server agrees to what nobody asked for")
	}
	rest = make([]byte, in.Buffered())
	_, err = io.ReadFull(in, rest)
	return rest, err
}

// accepts returns the server's accept value for a key (RFC 6455, section 4.2.2).
func accepts(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
