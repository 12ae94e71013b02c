package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"time"
)

//go:embed web
var web embed.FS

// errNone is the error of a request for something that is not there.
var errNone = errors.New("there is no such thing")

// routes are what the inspector answers to.
func (x *Inspector) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /app.css", file("app.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /app.js", file("app.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /view.js", file("view.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /icon.svg", file("icon.svg", "image/svg+xml"))
	for path, answer := range map[string]func(context.Context, query) (any, error){
		"status": x.status, "clients": x.clients, "traffic": x.traffic, "entities": x.entities,
		"entity": x.entity, "knows": x.knows, "explain": x.explain, "blame": x.causes,
	} {
		mux.HandleFunc("GET /api/"+path, respond(answer))
	}
	mux.Handle("GET /metrics", x.metrics)
	mux.HandleFunc("GET /debug/pprof/{$}", profiles)
	mux.HandleFunc("GET /debug/pprof/{name}", x.profile)
	return mux
}

// ServeHTTP answers a request, if the guard admits it.
func (x *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	select {
	case x.room <- struct{}{}:
		defer func() { <-x.room }()
	default:
		http.Error(w, "too many requests at one time", http.StatusServiceUnavailable)
		return
	}
	if x.guard.admit(w, r) {
		x.mux.ServeHTTP(w, r)
	}
}

// file answers with a file of the page.
func file(name, kind string) http.HandlerFunc {
	b, err := fs.ReadFile(web, "web/"+name)
	return func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(b)
	}
}

// respond answers with JSON.
func respond(answer func(context.Context, query) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := parseQuery(r.URL.RawQuery)
		var a any
		if err == nil {
			a, err = answer(r.Context(), q)
		}
		var b []byte
		if err == nil {
			b, err = json.Marshal(a)
		}
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(b)
	}
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errQuery):
		return http.StatusBadRequest
	case errors.Is(err, errNone):
		return http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Allows returns nil when requests that come to an address may be answered, and an error
// that wraps [ErrConfig] when others can reach it and there is no token.
func (x *Inspector) Allows(address net.Addr) error {
	if a, err := netip.ParseAddrPort(address.String()); x.guard.open && (err != nil || !a.Addr().Unmap().IsLoopback()) {
		return fmt.Errorf("%w: others can reach %v: give Token, or listen on 127.0.0.1", ErrConfig, address)
	}
	return nil
}

// Serve answers requests that come to l until ctx ends, and then returns nil; l is closed.
// It refuses an address that [Inspector.Allows] does not.
func (x *Inspector) Serve(ctx context.Context, l net.Listener) error {
	if err := x.Allows(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	s := &http.Server{
		Handler:           x,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      mostProfile + 30*time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	x.config.Logger.Info("inspector serves", "address", l.Addr())
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
