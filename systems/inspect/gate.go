package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"

	"github.com/tactusgo/tactus/internal/httpserve"
)

// Gate stands before what shows servers: it decides by [Config] who may see anything, says to browsers what a page may
// load, and bounds how many requests are under way. An [Inspector] has one; a page of several servers makes its own.
type Gate struct {
	guard *guard
	room  chan struct{} // of requests at one time
	next  http.Handler
	posts Posts
	log   *slog.Logger
}

// Posts are what a page does, beside what it shows.
type Posts struct {
	// Handler answers requests with the method POST. It wants a proof of its own, such as a token of who may act: that of
	// Config neither suffices nor is asked for. Who without Config.Token is answered at all is answered here too, and no
	// page of another site. Default (nil): none are answered but as all others.
	Handler http.Handler
	// Refused is told of such a request that the gate refuses, and why, as it is answered. Default (nil): nobody.
	Refused func(r *http.Request, why string)
}

// NewGate makes a gate before a handler. The error wraps [ErrConfig].
func NewGate(c Config, next http.Handler, posts Posts) (*Gate, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	return &Gate{guard: newGuard(c), room: make(chan struct{}, mostRequests), next: next, posts: posts, log: c.Logger}, nil
}

// ServeHTTP answers a request, if the guard admits it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	select {
	case g.room <- struct{}{}:
		defer func() { <-g.room }()
	default:
		http.Error(w, "too many requests at one time", http.StatusServiceUnavailable)
		return
	}
	if r.Method == http.MethodPost && g.posts.Handler != nil {
		g.post(w, r)
		return
	}
	if g.guard.admit(w, r) {
		g.next.ServeHTTP(w, r)
	}
}

// post answers what is to be done, where whoever asks may ask at all.
func (g *Gate) post(w http.ResponseWriter, r *http.Request) {
	advice := g.guard.place(r)
	if advice == "" {
		g.posts.Handler.ServeHTTP(w, r)
		return
	}
	if g.posts.Refused != nil {
		g.posts.Refused(r, advice)
	}
	g.guard.refuse(w, r, advice)
}

// Allows returns nil when requests that come to an address may be answered, and an error
// that wraps [ErrConfig] when others can reach it and there is no token.
func (g *Gate) Allows(address net.Addr) error {
	if a, err := netip.ParseAddrPort(address.String()); g.guard.open && (err != nil || !a.Addr().Unmap().IsLoopback()) {
		return fmt.Errorf("%w: others can reach %v: give Token, or listen on 127.0.0.1", ErrConfig, address)
	}
	return nil
}

// Serve answers requests that come to l until ctx ends, and then returns nil; l is closed.
// It refuses an address that [Gate.Allows] does not.
func (g *Gate) Serve(ctx context.Context, l net.Listener) error {
	if err := g.Allows(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	g.log.Info("inspector serves", "address", l.Addr())
	return httpserve.Serve(ctx, l, g)
}
