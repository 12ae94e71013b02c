package httpserve

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/streams"
)

const (
	// idleTimeout is how long a connection may stay open without a request.
	idleTimeout = 30 * time.Second
	// headerTimeout is how long the headers of a request may take, from the first byte; on a new connection, from its start.
	headerTimeout = 10 * time.Second
	// requestTimeout is how long a request with its body may take to arrive.
	requestTimeout = 30 * time.Second
	// stallTimeout is how long a client may take to accept one chunk of an answer. The kernel accepts chunks for a client on a
	// slow link in bursts, because it waits until a third of its send buffer is free.
	stallTimeout = time.Minute
	// shutdownTimeout is how long requests may take that are being answered when the server ends.
	shutdownTimeout = 2 * time.Second
	// maxHeader bounds the headers of a request, in bytes.
	maxHeader = 64 << 10
	// maxConnections bounds the connections of a server.
	maxConnections = 8192
)

// Serve answers requests on l with h until ctx ends, and then returns nil. Requests that are being answered then have 2 s.
// It closes l in any case. An error means that l has
// failed; Serve waits while the process or the system has no free file descriptors.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	return serve(ctx, l, nil, h, nil, connections)
}

// ServeTLS is like [Serve], for HTTPS with secure. It serves HTTP/1.1 only, because a client could stop reading the streams of
// HTTP/2 without stopping to read the connection. logger receives the errors of the server, except failed handshakes: everybody who
// scans ports causes these.
func ServeTLS(ctx context.Context, l net.Listener, secure *tls.Config, h http.Handler, logger *slog.Logger) error {
	return serve(ctx, l, secure, h, logger, connections)
}

// connections returns the largest number of connections of one server.
func connections() int { return min(streams.Unreserved()/2, maxConnections) }

// serve serves with at most limit connections. Without TLS, secure and logger are nil.
func serve(ctx context.Context, l net.Listener, secure *tls.Config, h http.Handler, logger *slog.Logger, limit func() int) error {
	p := &pool{limit: limit}
	s := &http.Server{
		Handler: bodyDeadline(h), ConnState: p.note, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: requestTimeout, IdleTimeout: idleTimeout,
		// There is no WriteTimeout, because it would bound the time of a whole answer: see conn.Write.
	}
	ended := make(chan error, 1)
	if secure != nil {
		s.TLSConfig, s.Protocols, s.ErrorLog = secure, new(http.Protocols), slog.NewLogLogger(exceptHandshakes{logger.Handler()}, slog.LevelError)
		s.Protocols.SetHTTP1(true)
		go func() { ended <- s.ServeTLS(&listener{l, p}, "", "") }()
	} else {
		go func() { ended <- s.Serve(&listener{l, p}) }()
	}
	select {
	case err := <-ended:
		_ = s.Close()
		return err
	case <-ctx.Done():
	}
	_ = l.Close()
	p.closeWaiting()
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	if s.Shutdown(last) != nil {
		_ = s.Close()
	}
	<-ended
	return nil
}

// exceptHandshakes handles the records of a server, except those about failed handshakes.
type exceptHandshakes struct{ slog.Handler }

// Handle implements [slog.Handler].
func (x exceptHandshakes) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "TLS handshake error") {
		return nil
	}
	return x.Handler.Handle(ctx, r)
}

// bodyDeadline removes the read deadline of a request when its body has arrived. Otherwise the server would take a handler
// that waits longer than that for a client that has gone, and cancel the context of the request.
func bodyDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived := func() { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }
		if r.Body == http.NoBody {
			arrived()
		} else {
			r.Body = &body{r.Body, arrived}
		}
		next.ServeHTTP(w, r)
	})
}

// body calls arrived at its end.
type body struct {
	io.ReadCloser
	arrived func()
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.arrived()
	}
	return n, err
}
