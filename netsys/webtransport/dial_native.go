//go:build !js

package webtransport

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tactusgo/tactus/netsys/websocket"
)

// link is a session of a client.
type link struct {
	session *webtransport.Session
	end     context.CancelFunc
	life    context.Context
}

// connect opens a WebTransport session.
func connect(ctx context.Context, url string, hashes [][sha256.Size]byte) (websocket.Link, error) {
	t := &webtransport.Transport{
		TLSClientConfig: trust(hashes),
		QUICConfig: &quic.Config{
			EnableDatagrams: true, EnableStreamResetPartialDelivery: true,
			KeepAlivePeriod: 5 * time.Second, MaxIdleTimeout: defaultIdleTimeout,
		},
	}
	answer, session, err := t.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	_ = answer.Body // the body is the session
	x := &link{session: session}
	x.life, x.end = context.WithCancel(context.Background())
	return x, nil
}

// trust returns the TLS configuration of a client.
func trust(hashes [][sha256.Size]byte) *tls.Config {
	c := &tls.Config{NextProtos: []string{http3.NextProtoH3}, MinVersion: tls.VersionTLS13}
	if hashes != nil {
		c.InsecureSkipVerify = true // the hash replaces the check
		c.VerifyConnection = func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || !slices.Contains(hashes, sha256.Sum256(s.PeerCertificates[0].Raw)) {
				return errors.New("webtransport: the certificate has none of the hashes")
			}
			return nil
		}
	}
	return c
}

func (x *link) Read(b []byte) (n int, err error) {
	got, err := x.session.ReceiveDatagram(x.life)
	if err != nil {
		return 0, err
	}
	if n = copy(b, got); n < len(got) {
		return 0, io.ErrShortBuffer
	}
	return n, nil
}

// Write drops datagrams that are too long for the path, as UDP does.
func (x *link) Write(b []byte) error {
	err := x.session.SendDatagram(b)
	if long := new(quic.DatagramTooLargeError); errors.As(err, &long) {
		return nil
	}
	return err
}

func (x *link) Buffered() int { return 0 }

func (x *link) Close() {
	time.Sleep(leaveTime)
	_ = x.session.CloseWithError(0, "")
	x.end()
}

func (x *link) Abort() {
	x.end()
	go x.session.CloseWithError(0, "") // blocks until the server has answered
}
