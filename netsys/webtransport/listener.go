//go:build !js

package webtransport

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/marked"
)

const (
	// mark marks the addresses of peers, because the same addresses may also send UDP.
	mark marked.Mark = "/wt"
	// inboxSize is the number of datagrams that can wait for Poll.
	inboxSize = 4096
	// handshakeTimeout closes a connection whose handshake makes no progress for this time.
	handshakeTimeout = 5 * time.Second
)

// Listener is a server's transport over WebTransport. Poll, Send, Flush and Close belong to one goroutine.
type Listener struct {
	config Config
	quic   *quic.Transport
	server *webtransport.Server
	inbox  *netsys.Inbox
	crowd  crowd
	life   context.Context
	end    context.CancelFunc
	tasks  sync.WaitGroup
	closed bool
	failed atomic.Pointer[error]
}

var _ netsys.Wire = (*Listener)(nil)

// Listen starts to serve. The error describes an invalid configuration or wraps [netsys.ErrAddrInUse].
func Listen(c Config) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	if c.TLS == nil {
		certificate, err := DevelopmentCertificate(time.Now())
		if err != nil {
			return nil, fmt.Errorf("webtransport: Listen: %w", err)
		}
		c.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	socket, err := net.ListenPacket("udp", c.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: Listen %q", netsys.ErrAddrInUse, c.Addr)
	}
	if err != nil {
		return nil, fmt.Errorf("webtransport: Listen: %w", err)
	}
	l := &Listener{
		config: c, inbox: netsys.NewInbox(inboxSize),
		crowd: crowd{peers: make(map[netip.AddrPort]*peer), open: make(map[netip.Addr]int)},
	}
	l.quic = &quic.Transport{
		Conn: socket,
		ConnContext: func(ctx context.Context, _ *quic.ClientInfo) (context.Context, error) {
			return context.WithValue(ctx, heldKey{}, &held{}), nil
		},
		VerifySourceAddress: func(net.Addr) bool { return l.crowd.busy(&l.config) },
	}
	l.life, l.end = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc(c.Path, l.begin)
	l.server = &webtransport.Server{
		H3: &http3.Server{Handler: mux, MaxHeaderBytes: 8 << 10, Logger: slog.New(slog.DiscardHandler)},
		// Datagrams need no stream. Safari requires all three settings.
		Config:      &webtransport.Config{MaxIncomingStreams: -1, MaxIncomingUniStreams: -1, MaxIncomingData: -1},
		CheckOrigin: c.allows,
	}
	webtransport.ConfigureHTTP3Server(l.server.H3)
	ln, err := l.quic.ListenEarly(http3.ConfigureTLSConfig(c.TLS), &quic.Config{
		HandshakeIdleTimeout: handshakeTimeout, MaxIdleTimeout: c.IdleTimeout,
		MaxIncomingStreams: 4, MaxIncomingUniStreams: 4, // required by HTTP/3
		InitialStreamReceiveWindow: 16 << 10, MaxStreamReceiveWindow: 16 << 10,
		InitialConnectionReceiveWindow: 32 << 10, MaxConnectionReceiveWindow: 32 << 10,
		EnableDatagrams: true, EnableStreamResetPartialDelivery: true,
	})
	if err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("webtransport: Listen: %w", err)
	}
	l.tasks.Go(func() { l.accept(ln) })
	return l, nil
}

// held is a connection of a peer. It has one session and ends with it.
type held struct {
	conn  *quic.Conn
	began atomic.Bool
}

// heldKey is the context key of a held.
type heldKey struct{}

// end closes the connection.
func (h *held) end(code http3.ErrCode, why string) {
	_ = h.conn.CloseWithError(quic.ApplicationErrorCode(code), why)
}

// accept serves connections until the listener is closed.
func (l *Listener) accept(ln *quic.EarlyListener) {
	defer ln.Close()
	for {
		conn, err := ln.Accept(l.life)
		if err != nil {
			if l.life.Err() == nil {
				err = fmt.Errorf("webtransport: the listener has ended: %w", err)
				l.failed.Store(&err)
			}
			return
		}
		h := conn.Context().Value(heldKey{}).(*held)
		h.conn = conn
		network := hostname.Network(addrOf(conn.RemoteAddr()).Addr())
		if !l.crowd.admit(network, &l.config) {
			h.end(http3.ErrCodeExcessiveLoad, "too many connections")
			continue
		}
		silent := time.AfterFunc(l.config.AnswerTimeout, func() {
			if !h.began.Load() {
				l.crowd.count(func(s *Stats) { s.Unanswered++ })
				h.end(http3.ErrCodeNoError, "no session began")
			}
		})
		l.tasks.Go(func() {
			defer l.crowd.leave(network)
			defer silent.Stop()
			_ = l.server.ServeQUICConn(conn) // the error has no consequence
			h.end(http3.ErrCodeNoError, "")
		})
	}
}

// begin starts a session for an HTTP request.
func (l *Listener) begin(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int) {
		l.crowd.count(func(s *Stats) { s.Refused++ })
		w.WriteHeader(status)
	}
	if r.URL.Path != l.config.Path {
		refuse(http.StatusNotFound)
		return
	}
	if !l.config.allows(r) {
		refuse(http.StatusForbidden)
		return
	}
	h := r.Context().Value(heldKey{}).(*held)
	if !h.began.CompareAndSwap(false, true) {
		refuse(http.StatusTooManyRequests)
		return
	}
	defer func() { time.AfterFunc(leaveTime, func() { h.end(http3.ErrCodeNoError, "") }) }() // QUIC first sends the remaining datagrams
	session, err := l.server.Upgrade(w, r)
	if err != nil {
		refuse(http.StatusBadRequest)
		return
	}
	l.serve(session)
}

// Poll implements [netsys.Wire]; now must come from time.Now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) { l.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It drops datagrams to addresses without a session.
func (l *Listener) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	switch {
	case l.closed:
		return netsys.ErrClosed
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	if p := l.crowd.at(to); p != nil {
		p.answered.Store(true)
		p.out.Put(b)
	}
	return nil
}

// Err implements [netsys.Failing].
func (l *Listener) Err() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// LocalAddr implements [netsys.Wire].
func (l *Listener) LocalAddr() netip.AddrPort { return addrOf(l.quic.Conn.LocalAddr()) }

// PeerAddr returns the plain form of an address that a listener delivered, for logs, bans and look-ups. It returns other
// addresses unchanged.
func (*Listener) PeerAddr(from netip.AddrPort) netip.AddrPort { return mark.Off(from) }

// Stats returns the counters. It may be called from any goroutine.
func (l *Listener) Stats() Stats {
	s := l.crowd.figures()
	s.Dropped = l.inbox.Dropped()
	return s
}

// Close implements [netsys.Wire]. It closes all connections.
func (l *Listener) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	l.crowd.drain()
	l.end()
	err := l.server.Close()
	l.tasks.Wait()
	return errors.Join(ignore(err), l.quic.Close(), ignore(l.quic.Conn.Close()))
}

// CertificateHashes returns the SHA-256 hashes of the listener's certificates, for serverCertificateHashes in a page and
// for [DialConfig].Hashes. They are not secret.
func (l *Listener) CertificateHashes() (all [][sha256.Size]byte) {
	for _, c := range l.config.TLS.Certificates {
		if len(c.Certificate) > 0 {
			all = append(all, sha256.Sum256(c.Certificate[0]))
		}
	}
	return all
}

// ignore drops errors about something that is already closed.
func ignore(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// addrOf returns the address of a UDP socket.
func addrOf(a net.Addr) netip.AddrPort {
	u, ok := a.(*net.UDPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := u.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
