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

// Gate protects an HTTP handler that shows servers. It checks access by [Config], sets the security headers of pages,
// and limits the number of concurrent requests. An [Inspector] contains one; create your own for a page about several
// servers.
type Gate struct {
	guard *guard
	room  chan struct{} // limits concurrent requests
	next  http.Handler
	posts Posts
	log   *slog.Logger
}

// Posts handles the POST requests of a page.
type Posts struct {
	// Handler handles POST requests. It must authenticate the sender itself, because the token of Config is not
	// checked for them. Requests from other sites are refused, and without Config.Token also requests from other
	// machines. Default (nil): POST is treated like any other method.
	Handler http.Handler
	// Refused is called when the gate refuses a POST request, with the advice that it answers. Default (nil): not
	// called.
	Refused func(r *http.Request, why string)
}

// NewGate returns a gate in front of the handler next. The error wraps [ErrConfig].
func NewGate(c Config, next http.Handler, posts Posts) (*Gate, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	return &Gate{guard: newGuard(c), room: make(chan struct{}, mostRequests), next: next, posts: posts, log: c.Logger}, nil
}

// ServeHTTP passes a request to the handler if access is allowed.
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

// post passes a POST request to its handler if the address and the name of the request are allowed.
func (g *Gate) post(w http.ResponseWriter, r *http.Request) {
	advice := g.guard.checkOrigin(r)
	if advice == "" {
		g.posts.Handler.ServeHTTP(w, r)
		return
	}
	if g.posts.Refused != nil {
		g.posts.Refused(r, advice)
	}
	g.guard.refuse(w, r, advice)
}

// Allows returns an error that wraps [ErrConfig] if other machines can reach the address and there is no token.
func (g *Gate) Allows(address net.Addr) error {
	if a, err := netip.ParseAddrPort(address.String()); g.guard.open && (err != nil || !a.Addr().Unmap().IsLoopback()) {
		return fmt.Errorf("%w: other machines can reach %v: set Token, or listen on 127.0.0.1", ErrConfig, address)
	}
	return nil
}

// Serve answers requests on l until ctx ends. Then it closes l and returns nil. It returns an error for an address
// that [Gate.Allows] rejects.
func (g *Gate) Serve(ctx context.Context, l net.Listener) error {
	if err := g.Allows(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	g.log.Info("inspector serves", "address", l.Addr())
	return httpserve.Serve(ctx, l, g)
}
