package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
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
	mux.Handle("GET /debug/pprof/", Profiles(x.config.Logger))
	return mux
}

// ServeHTTP answers a request, if the guard admits it.
func (x *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) { x.gate.ServeHTTP(w, r) }

// Answer answers a request without the guard: for a page of several servers, which has a [Gate] of its own.
func (x *Inspector) Answer(w http.ResponseWriter, r *http.Request) { x.mux.ServeHTTP(w, r) }

// Files are what the page is made of, for pages of several servers: app.css; view.js, by which things are drawn; app.js,
// the pages of one server, which asks below the address of its document; icon.svg.
func Files() fs.FS {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the name is a good one
	}
	return files
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
func (x *Inspector) Allows(address net.Addr) error { return x.gate.Allows(address) }

// Serve answers requests that come to l until ctx ends, and then returns nil; l is closed.
// It refuses an address that [Inspector.Allows] does not.
func (x *Inspector) Serve(ctx context.Context, l net.Listener) error { return x.gate.Serve(ctx, l) }
